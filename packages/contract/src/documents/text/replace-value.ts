import { isCollection, isScalar, type Node } from "yaml";
import { isFirstOnLine, lineEnd, lineStart, nextLine } from "./text-lines.ts";
import { inline, type Layout, written } from "./written-values.ts";

/** What of a text is exchanged: from an offset up to another. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** What holds a value: a key or a dash. */
export interface Holder {
  /** Behind its colon or dash, and the anchor and tag of the value. */
  behind: number;
  /** Where the key or dash stands on its line. */
  column: number;
  isItem: boolean;
}

interface Old {
  text: string;
  node: Node | null;
  isFlow: boolean;
  /** Nothing of the whole document. */
  holder: Holder | undefined;
  layout: Layout;
}

/** Exchanges a value; comments beside it stay where they are. Nothing where it cannot be cut out of its lines. */
export function replaceValue(old: Old, target: unknown): Edit[] | undefined {
  const { text, node, isFlow, holder } = old;
  const [from, to] = node?.range ?? [0, 0];
  const isThere = to > from;
  const isBlockScalar = isScalar(node) && (node.type?.startsWith("BLOCK") ?? false);
  const isBlock = isBlockScalar || (isCollection(node) && node.flow !== true);
  const short = inline(target, node, isFlow);
  if (
    isThere &&
    !isBlock &&
    (isFlow || !text.slice(from, to).includes("\n")) &&
    short !== undefined
  )
    return [{ from, to, text: short }];
  if (!holder) return undefined;
  if (isFlow)
    return short === undefined
      ? undefined
      : [{ from: holder.behind, to: holder.behind, text: ` ${short}` }];

  const end = isThere ? endOf(text, node!) : holder.behind;
  const begin = isThere ? from : holder.behind;
  const isBeside = !text.slice(holder.behind, begin).includes("\n");
  const place = { ...old, holder, begin, end, isBeside, isBlockScalar };
  if (short !== undefined) return asWord(place, short);
  return typeof target === "string" ? asText(place, target) : asLines(place, target);
}

interface Place extends Old {
  holder: Holder;
  /** Of what is written of the value now. */
  begin: number;
  end: number;
  /** On the line of its key or dash. */
  isBeside: boolean;
  isBlockScalar: boolean;
}

/** What is said on the first line of a text of several lines: `| # why`. */
const remarkOf = ({ text, begin, isBlockScalar }: Place) =>
  isBlockScalar ? (/^[|>][-+\d]*([^\S\n]+#[^\r\n]*)?/.exec(text.slice(begin))?.[1] ?? "") : "";

/** What is said behind the value, on its last line. */
const behindOf = ({ text, end, isBlockScalar }: Place) =>
  isBlockScalar ? "" : (/^[^\S\n]+#.*$/.exec(text.slice(end, lineEnd(text, end)))?.[0] ?? "");

const newlineOf = (text: string) => (text.includes("\r\n") ? "\r\n" : "\n");

function asWord(place: Place, word: string): Edit[] | undefined {
  const { text, holder, begin, end, isBeside } = place;
  if (isBeside) {
    const gap = begin === holder.behind ? " " : "";
    return [{ from: begin, to: end, text: gap + word + remarkOf(place) }];
  }
  if (!isFirstOnLine(text, begin)) return undefined;
  return [
    { from: holder.behind, to: holder.behind, text: ` ${word}` },
    { from: lineStart(text, begin), to: nextLine(text, end), text: "" },
  ];
}

function asText(place: Place, target: string): Edit[] | undefined {
  const { text, holder, begin, end, isBeside, isBlockScalar, layout } = place;
  const quoted = () => asWord(place, JSON.stringify(target));
  const [head = "", ...lines] = written({ k: target }, layout).slice("k: ".length).split("\n");
  if (!isBeside || !/^[|>]/.test(head)) return quoted();
  const isCounted = /\d/.test(head) || (isBlockScalar && /^[|>]-?\d/.test(text.slice(begin)));
  const before = isBlockScalar && !isCounted ? indentOf(text.slice(begin, end)) : undefined;
  const indent = before ?? holder.column + layout.indent;
  const remark = isBlockScalar ? remarkOf(place) : behindOf(place);
  const to = isBlockScalar ? end : end + remark.length;
  // Comments behind it that are indented as the text is would be lines of it.
  if (/^(?:[^\S\n]*\n)* *#/.test(text.slice(nextLine(text, to)))) {
    const next = /^(?:[^\S\n]*\n)*( *)#/.exec(text.slice(nextLine(text, to)))![1]!;
    if (next.length >= indent) return quoted();
  }
  const newline = newlineOf(text);
  const body = lines.map((line) =>
    line === "" ? line : " ".repeat(indent) + line.slice(layout.indent),
  );
  const gap = begin === holder.behind ? " " : "";
  return [{ from: begin, to, text: [gap + head + remark, ...body].join(newline) }];
}

/** Of the lines of a text, without the one that begins it. */
const indentOf = (block: string): number | undefined => /\n( *)[^\s]/.exec(block)?.[1]?.length;

function asLines(place: Place, target: unknown): Edit[] | undefined {
  const { text, holder, begin, end, isBeside, layout } = place;
  const newline = newlineOf(text);
  const at = (column: number) =>
    written(target, layout)
      .split("\n")
      .map((line) => (line === "" ? line : " ".repeat(column) + line))
      .join(newline);
  const within = holder.column + (holder.isItem ? 2 : layout.indent);
  if (!isBeside) {
    if (!isFirstOnLine(text, begin)) return undefined;
    const start = lineStart(text, begin);
    const own = begin - start;
    const isDeep = own > holder.column || (Array.isArray(target) && !holder.isItem);
    return [{ from: start, to: end, text: at(isDeep ? own : within) }];
  }
  const remark = remarkOf(place) || behindOf(place);
  const isBare = /^-[^\S\n]*$/.test(text.slice(lineStart(text, begin) + holder.column, begin));
  if (holder.isItem && isBare && remark === "") {
    const gap = begin === holder.behind ? 1 : 0;
    const column = begin - lineStart(text, begin) + gap;
    return [{ from: begin, to: end, text: " ".repeat(gap) + at(column).trimStart() }];
  }
  const column =
    Array.isArray(target) && !layout.indentSeq && !holder.isItem ? holder.column : within;
  const to = remark === "" || place.isBlockScalar ? end : end + remark.length;
  return [{ from: holder.behind, to, text: remark + newline + at(column) }];
}

/** Where what is written of a node ends, without the line ends and comments behind it. */
export function endOf(text: string, node: Node): number {
  if (isCollection(node) && node.flow !== true && node.items.length > 0) {
    const last = node.items.at(-1) as Node | { key: Node; value: Node | null };
    if (!("key" in last)) return endOf(text, last);
    const keyEnd = last.key.range?.[1] ?? 0;
    return last.value ? Math.max(endOf(text, last.value), keyEnd) : keyEnd;
  }
  const [start, end] = node.range ?? [0, 0];
  // `|+` keeps the blank lines behind it.
  const isKept = isScalar(node) && /^[|>]\d?\+/.test(text.slice(start, end));
  if (isKept) return text[end - 1] === "\n" ? end - (text[end - 2] === "\r" ? 2 : 1) : end;
  let at = end;
  while (at > start && /\s/.test(text[at - 1]!)) at -= 1;
  return at;
}
