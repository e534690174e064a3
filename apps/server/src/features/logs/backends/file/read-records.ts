import { nanosOf } from "../nanos.ts";
import { type LineOptions, type ParsedLine, parseLine } from "../lines/parse-line.ts";
import type { LineFile, PlacedLine } from "./line-file.ts";

/** A line with those behind it that belong to it: a stack trace is one. */
export interface FileRecord extends ParsedLine {
  nanos: bigint;
  path: string;
  /** Where it begins. */
  at: number;
}

export interface TimedFile {
  path: string;
  lines: LineFile;
  modified: Date;
  options: LineOptions;
  /** Of the first line that says when it is of; none in a file whose lines do not. */
  firstNanos: bigint | undefined;
}

/** Lines that are looked at for a time, and of one record. */
const mostProbed = 200;
const mostInRecord = 1000;
/** Characters of a record. */
const longestRecord = 256 * 1024;
/** Bytes that are too few to be looked through by halves. */
const notWorthHalving = 512 * 1024;

/** Looks whether its lines say when they are of. */
export async function openTimed(
  path: string,
  lines: LineFile,
  { modified, options }: Pick<TimedFile, "modified" | "options">,
): Promise<TimedFile> {
  const file = { path, lines, modified, options, firstNanos: undefined };
  return { ...file, firstNanos: (await firstTimeBehind(file, 0, lines.size))?.nanos };
}

async function firstTimeBehind(
  { lines, options }: Pick<TimedFile, "lines" | "options">,
  from: number,
  to: number,
): Promise<{ nanos: bigint; at: number } | undefined> {
  let looked = 0;
  for await (const { at, text } of lines.forward(from, to)) {
    const { nanos } = parseLine(text, options);
    if (nanos !== undefined) return { nanos, at };
    looked += 1;
    if (looked >= mostProbed) return undefined;
  }
  return undefined;
}

/** Where the lines of a range of time are, as far as halving tells it: no more than those, and a few around them. */
async function placesOf(
  file: TimedFile,
  from: bigint,
  to: bigint,
): Promise<{ start: number; end: number }> {
  const { size } = file.lines;
  if (size <= notWorthHalving || file.firstNanos === undefined) return { start: 0, end: size };
  const halve = async (wanted: bigint) => {
    let [low, high] = [0, size];
    while (high - low > notWorthHalving / 2) {
      const middle = Math.floor((low + high) / 2);
      const found = await firstTimeBehind(file, middle, high);
      if (found === undefined || found.nanos >= wanted) high = middle;
      else low = found.at;
    }
    return { low, high };
  };
  const { low: start } = await halve(from);
  const { high } = await halve(to);
  // Lines behind the middle belong to a record before it.
  return { start, end: Math.min(size, high + notWorthHalving / 2) };
}

/** Within the file in which the page before ended, its place is known. */
function boundBy(
  { start, end }: { start: number; end: number },
  {
    path,
    isBack,
    after,
  }: { path: string; isBack: boolean; after?: { path: string; at: number } | undefined },
): { start: number; end: number } {
  if (after?.path !== path) return { start, end };
  return isBack
    ? { start, end: Math.min(end, after.at) }
    : { start: Math.max(start, after.at), end };
}

const isPart = (parsed: ParsedLine, text: string, isTimed: boolean): boolean =>
  parsed.nanos === undefined &&
  Object.keys(parsed.labels).length === 0 &&
  (isTimed || /^(?:\s|Caused by: |\.\.\. \d+ more|[})\]]\s*$)/.test(text));

/** The records of a range of time, in its order. What a line does not say, the one before it does. */
export async function* readRecords(
  file: TimedFile,
  {
    from,
    to,
    direction,
    after,
  }: {
    from: Date;
    to: Date;
    direction: "backward" | "forward";
    /** Where a page before ended; what lies before that need not be read again. */
    after?: { nanos: bigint; path: string; at: number } | undefined;
  },
): AsyncGenerator<FileRecord> {
  const { lines, firstNanos, modified, path, options } = file;
  const isTimed = firstNanos !== undefined;
  const [first, last] = [nanosOf(from), nanosOf(to)];
  const isBack = direction === "backward";
  const range =
    after === undefined
      ? { low: first, high: last }
      : isBack
        ? { low: first, high: after.nanos + 1n }
        : { low: after.nanos, high: last };
  const { start, end } = boundBy(await placesOf(file, range.low, range.high), {
    path,
    isBack,
    after,
  });
  const isMeant = ({ nanos }: FileRecord) => nanos >= first && nanos < last;
  const source = direction === "forward" ? lines.forward(start, end) : lines.backward(start, end);
  const usual = firstNanos ?? nanosOf(modified);
  const make = (line: PlacedLine, parsed: ParsedLine, parts: readonly string[], nanos: bigint) => {
    const message = [parsed.message, ...parts].join("\n").slice(0, longestRecord);
    return { ...parsed, message, nanos, path, at: line.at };
  };

  if (direction === "forward") {
    let open: { line: PlacedLine; parsed: ParsedLine; parts: string[] } | undefined;
    let nanos = usual;
    const close = () => open && make(open.line, open.parsed, open.parts, nanos);
    for await (const line of source) {
      const parsed = parseLine(line.text, options);
      if (open && open.parts.length < mostInRecord && isPart(parsed, line.text, isTimed)) {
        open.parts.push(line.text);
        continue;
      }
      const record = close();
      if (record && isMeant(record)) yield record;
      open = { line, parsed, parts: [] };
      nanos = parsed.nanos ?? nanos;
    }
    const record = close();
    if (record && isMeant(record)) yield record;
    return;
  }
  // Backwards the time of a line that says none stands in one that is read later.
  let parts: string[] = [];
  let waiting: { line: PlacedLine; parsed: ParsedLine; parts: string[] }[] = [];
  for await (const line of source) {
    const parsed = parseLine(line.text, options);
    if (parts.length < mostInRecord && line.at > 0 && isPart(parsed, line.text, isTimed)) {
      parts.push(line.text);
      continue;
    }
    waiting.push({ line, parsed, parts: parts.toReversed() });
    parts = [];
    if (parsed.nanos === undefined && isTimed && waiting.length < mostInRecord) continue;
    const nanos = parsed.nanos ?? usual;
    for (const one of waiting) {
      const record = make(one.line, one.parsed, one.parts, nanos);
      if (isMeant(record)) yield record;
    }
    waiting = [];
  }
  for (const one of waiting) {
    const record = make(one.line, one.parsed, one.parts, usual);
    if (isMeant(record)) yield record;
  }
}
