import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLSeq } from "yaml";
import { matchItems, signOf } from "./match-items.ts";

/*
 * Items of lists that are to stand in another order are moved first, with what is written around them: a list that
 * `rewriteYaml` finds in the order that is wanted needs no item cut and written again.
 */

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface Move {
  from: number;
  to: number;
  text: string;
}

/** The text with the items of its outermost lists in the order of the value; nothing where none is to be moved. */
export function moveItems(text: string, target: unknown, document: Document): string | undefined {
  const moves: Move[] = [];

  const walk = (node: Node | null | undefined, wanted: unknown): void => {
    if (isMap(node) && isObject(wanted)) {
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name !== undefined && Object.hasOwn(wanted, name))
          walk(value as Node | null, wanted[name]);
      }
      return;
    }
    if (!isSeq(node) || !Array.isArray(wanted)) return;
    const seq = node as YAMLSeq<Node>;
    const values = seq.items.map((item) =>
      isAlias(item) ? undefined : (item.toJS(document, { maxAliasCount: 100 }) as unknown),
    );
    const places = placesOf(values, wanted);
    const order = orderOf(places);
    const move = order.some((old, at) => old !== at) ? moved(text, seq, order) : undefined;
    if (move) moves.push(move);
    else
      for (const [old, at] of places.entries())
        if (at !== undefined) walk(seq.items[old], wanted[at]);
  };
  walk(document.contents, target);
  if (moves.length === 0) return undefined;
  let made = "";
  let at = 0;
  for (const { from, to, text: now } of moves) {
    made += text.slice(at, from) + now;
    at = to;
  }
  return made + text.slice(at);
}

/** Where each item is to stand; nothing for one that goes. */
function placesOf(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  const places: (number | undefined)[] = before.map(() => undefined);
  const isTaken = after.map(() => false);
  for (const [old, now] of matchItems(before, after)) {
    places[old] = now;
    isTaken[now] = true;
  }
  const free = new Map<string, number[]>();
  for (const [now, item] of after.entries()) {
    if (isTaken[now]) continue;
    const sign = signOf(item);
    free.set(sign, [...(free.get(sign) ?? []), now]);
  }
  return places.map((now, old) => now ?? free.get(signOf(before[old]))?.shift());
}

/** The items in the order of their places; what goes stays behind the one that it stood behind. */
function orderOf(places: readonly (number | undefined)[]): number[] {
  let last = -1;
  const keys = places.map((now) => {
    last = now ?? last;
    return last;
  });
  return places.map((_, old) => old).toSorted((a, b) => keys[a]! - keys[b]! || a - b);
}

/** The lines of a list in another order; nothing where its items do not stand on lines of their own. */
function moved(text: string, seq: YAMLSeq<Node>, order: readonly number[]): Move | undefined {
  if (seq.flow === true) return undefined;
  const lineStart = (offset: number) => text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = (offset: number) => {
    const end = text.indexOf("\n", offset);
    return end === -1 ? text.length : end + 1;
  };
  const dashes = seq.items.map(({ range }) => (range ? text.lastIndexOf("-", range[0] - 1) : -1));
  const starts = dashes.map((dash) => (dash < 0 ? -1 : lineStart(dash)));
  const areAlone = dashes.every(
    (dash, at) => dash >= 0 && text.slice(starts[at], dash).trim() === "",
  );
  if (!areAlone) return undefined;
  const column = dashes[0]! - starts[0]!;

  /** Comments directly above speak of what is below them, unless they are indented as what is above. */
  const remarksAt = (start: number): number => {
    let from = start;
    while (from > 0) {
      const above = lineStart(from - 1);
      const indent = /^([^\S\n]*)#/.exec(text.slice(above, from))?.[1];
      if (indent === undefined || indent.length > column) break;
      from = above;
    }
    return from;
  };
  const begins = starts.map(remarksAt);
  const ends = begins.map((_, at) => {
    const next = begins[at + 1];
    const { range } = seq.items[at]!;
    const limit = next ?? Math.max(range![2], lineEnd(range![1] - 1));
    // Blank lines and comments that stand apart stay where they are; what is indented belongs to the item.
    let end = lineEnd(dashes[at]!);
    for (let line = end; line < limit; line = lineEnd(line)) {
      const written = text.slice(line, lineEnd(line));
      const indent = written.length - written.trimStart().length;
      if (written.trim() !== "" && indent > column) end = lineEnd(line);
    }
    return Math.min(end, limit);
  });
  const isOpen = ends.at(-1) === text.length && !text.endsWith("\n");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const chunks = begins.map((from, at) => {
    const chunk = text.slice(from, ends[at]);
    return chunk.endsWith("\n") ? chunk : chunk + newline;
  });
  const between = begins.map((_, at) => text.slice(ends[at], begins[at + 1] ?? ends[at]));
  const made = order.map((old, at) => chunks[old]! + between[at]!).join("");
  return {
    from: begins[0]!,
    to: ends.at(-1)!,
    text: isOpen ? made.slice(0, -newline.length) : made,
  };
}
