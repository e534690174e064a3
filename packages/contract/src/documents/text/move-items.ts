import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLSeq } from "yaml";
import { matchItems, signOf } from "./match-items.ts";
import { dashesOf } from "./source-tokens.ts";
import { lineStart, nextLine, remarksAt } from "./text-lines.ts";

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
  const lines = seq.flow === true ? linesInBrackets(text, seq) : linesOf(text, seq);
  if (!lines) return undefined;
  const { begins, ends, chunks } = lines;
  const isOpen = ends.at(-1) === text.length && !text.endsWith("\n");
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const between = begins.map((_, at) => text.slice(ends[at], begins[at + 1] ?? ends[at]));
  const made = order
    .map((old, at) => {
      const chunk = chunks(old, at === order.length - 1);
      return (chunk.endsWith("\n") ? chunk : chunk + newline) + between[at]!;
    })
    .join("");
  return {
    from: begins[0]!,
    to: ends.at(-1)!,
    text: isOpen ? made.slice(0, -newline.length) : made,
  };
}

/** Where the lines of each item are, with the comments that speak of it. */
interface Lines {
  begins: readonly number[];
  ends: readonly number[];
  /** The lines of one of them, as they are to stand. */
  chunks: (at: number, isLast: boolean) => string;
}

function linesOf(text: string, seq: YAMLSeq<Node>): Lines | undefined {
  const dashes = dashesOf(seq).map(({ dash }) => dash);
  const starts = dashes.map((dash) => lineStart(text, dash));
  const areAlone = dashes.every((dash, at) => text.slice(starts[at], dash).trim() === "");
  if (!areAlone || dashes.length !== seq.items.length) return undefined;
  const column = dashes[0]! - starts[0]!;
  const begins = starts.map((start) => remarksAt(text, start, column));
  const ends = begins.map((_, at) => {
    const next = begins[at + 1];
    const { range } = seq.items[at]!;
    const limit = next ?? Math.max(range![2], nextLine(text, range![1] - 1));
    // Blank lines and comments that stand apart stay where they are; what is indented belongs to the item.
    let end = nextLine(text, dashes[at]!);
    for (let line = end; line < limit; line = nextLine(text, line)) {
      const written = text.slice(line, nextLine(text, line));
      const indent = written.length - written.trimStart().length;
      if (written.trim() !== "" && indent > column) end = nextLine(text, line);
    }
    return Math.min(end, limit);
  });
  return { begins, ends, chunks: (at) => text.slice(begins[at], ends[at]) };
}

/** The same within [], where the comma behind an item is not its own: the last may have none. */
function linesInBrackets(text: string, { items }: YAMLSeq<Node>): Lines | undefined {
  const found = items.map(({ range }) => {
    const [from, to] = range ?? [0, 0];
    const start = lineStart(text, from);
    const [line = "", comma = "", rest = ""] =
      /^([^\S\n]*,)?([^\S\n]*(?:[^\S\n]#[^\n]*)?(?:\n|$))/.exec(text.slice(to)) ?? [];
    const isAlone = to > from && line !== "" && text.slice(start, from).trim() === "";
    return isAlone
      ? { begin: remarksAt(text, start, from - start), to, comma, rest, end: to + line.length }
      : undefined;
  });
  const lines = found.filter((one) => one !== undefined);
  if (lines.length < items.length) return undefined;
  const endsWithComma = lines.at(-1)!.comma !== "";
  return {
    begins: lines.map(({ begin }) => begin),
    ends: lines.map(({ end }) => end),
    chunks(at, isLast) {
      const { begin, to, comma, rest } = lines[at]!;
      const behind = isLast && !endsWithComma ? "" : comma || ",";
      return text.slice(begin, to) + behind + rest;
    },
  };
}
