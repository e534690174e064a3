import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  visit,
} from "yaml";

/** Where in a text something is; both are 1-based. */
export interface Place {
  line: number;
  column: number;
}

/** What each alias of a document stands for; nothing when it names nothing that comes before it. */
export type Targets = ReadonlyMap<Alias, Node | undefined>;

/** One walk for all aliases: the library's own look-up walks the document for each. */
export function findTargets(document: Document): {
  targets: Targets;
  /** Aliases that would make a value a part of itself. */
  cyclic: Alias[];
} {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  const cyclic: Alias[] = [];
  visit(document, {
    Node(_key, node, path) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        targets.set(node, target);
        if (target && path.includes(target)) cyclic.push(node);
      } else if (isNode(node) && node.anchor) anchors.set(node.anchor, node);
    },
  });
  return { targets, cyclic };
}

type Path = readonly (string | number)[];

const keyText = (pair: Pair) => String(isScalar(pair.key) ? pair.key.value : pair.key);

function offsetOf(node: unknown): number | undefined {
  if (isPair(node)) return offsetOf(node.key);
  return (node as Node | null | undefined)?.range?.[0];
}

/** The offset of what a path leads to; where it ends early (a missing field), of the deepest part that exists. */
function findOffset(document: Document, targets: Targets, path: Path, atKey: boolean): number {
  let node: unknown = document.contents;
  let offset = offsetOf(node) ?? document.range?.[0] ?? 0;
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = targets.get(node);
    const isLast = depth === path.length - 1;
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item) === String(step));
      if (!pair) return offset;
      const key = offsetOf(pair.key);
      next = pair.value;
      offset = (isLast && atKey ? key : offsetOf(next)) ?? key ?? offset;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      if (next === undefined) return offset;
      offset = offsetOf(next) ?? offset;
    } else return offset;
    node = next;
  }
  return offset;
}

export function placeAt(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  // An empty text has no line start that the counter knows.
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** A document with what is needed to find places in it. */
export interface Placing {
  document: Document;
  lines: LineCounter;
  targets: Targets;
}

export const placeOf = ({ document, lines, targets }: Placing, path: Path, atKey = false): Place =>
  placeAt(lines, findOffset(document, targets, path, atKey));

/** Splits a dotted path along the keys that exist, so that keys with dots in them are found. */
export function stepsOf({ document, targets }: Placing, dotted: string): (string | number)[] {
  const steps: (string | number)[] = [];
  let rest = dotted;
  let node: unknown = document.contents;
  while (rest !== "") {
    if (isAlias(node)) node = targets.get(node);
    if (isMap(node)) {
      const current = rest;
      const keys = node.items.filter(
        (pair) => current === keyText(pair) || current.startsWith(`${keyText(pair)}.`),
      );
      const pair = keys.toSorted((a, b) => keyText(b).length - keyText(a).length)[0];
      if (!pair) return [...steps, rest];
      steps.push(keyText(pair));
      rest = rest.slice(keyText(pair).length + 1);
      node = pair.value;
      continue;
    }
    const [first = "", ...others] = rest.split(".");
    if (!isSeq(node) || !/^\d+$/.test(first)) return [...steps, rest];
    steps.push(Number(first));
    rest = others.join(".");
    node = node.items[Number(first)];
  }
  return steps;
}
