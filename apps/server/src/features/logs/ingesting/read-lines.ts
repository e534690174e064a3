import { findTooDeep, tooDeepMessage } from "@mainstay/contract";
import { flatten, levelIn } from "../backends/line-of.ts";
import { parseLine } from "../backends/lines/parse-line.ts";
import type { SaidLine } from "../store/incoming-line.ts";
import { isMapping } from "./json-value.ts";

/** What a body holds, line by line; what is no line is told with its number, from 1. */
export interface ReadBody {
  lines: { line: SaidLine; number: number }[];
  wrong: { line: number; message: string }[];
}

/** Whether lines of text are JSON, or whatever programs write. */
export type BodyType = "json" | "json-lines" | "text";

export function bodyTypeOf(contentType: string | undefined): BodyType {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^application\/(?:x-ndjson|jsonl|x-jsonlines|jsonlines)$/.test(type)) return "json-lines";
  return type.startsWith("text/") ? "text" : "json";
}

/** Lines of a body: JSON a line, one JSON object, a JSON array of both, or lines of text. */
export function readLines(text: string, type: BodyType, now: Date): ReadBody {
  if (type === "json") {
    const whole = parse(text);
    if (Array.isArray(whole)) return readEach(whole, now);
    if (whole !== undefined) return readEach([whole], now);
  }
  const read: ReadBody = { lines: [], wrong: [] };
  for (const [at, line] of text.split("\n").entries()) {
    const said = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (said.trim() === "") continue;
    if (type === "text") {
      read.lines.push({ line: parseLine(said, { now }), number: at + 1 });
      continue;
    }
    const value = parse(said);
    if (value === undefined) read.wrong.push({ line: at + 1, message: "it is no JSON" });
    else readOne(read, { value, number: at + 1, now });
  }
  return read;
}

function readEach(values: readonly unknown[], now: Date): ReadBody {
  const read: ReadBody = { lines: [], wrong: [] };
  for (const [at, value] of values.entries()) readOne(read, { value, number: at + 1, now });
  return read;
}

/** Levels of lists and objects in one line: what writes them as JSON would overflow its stack in deep ones. */
const deepest = 64;

/** What is said of a line twice, as a field and as a label, is one thing: the field counts. */
function readOne(
  read: ReadBody,
  { value, number, now }: { value: unknown; number: number; now: Date },
): void {
  if (typeof value === "string") read.lines.push({ line: parseLine(value, { now }), number });
  else if (!isMapping(value))
    read.wrong.push({ line: number, message: "it is no line: neither a text nor an object" });
  else if (findTooDeep(value, deepest))
    read.wrong.push({ line: number, message: tooDeepMessage(deepest) });
  else {
    const { labels, ...rest } = value;
    const line = parseLine(JSON.stringify(rest), { format: "json", now });
    const own = isMapping(labels) ? flatten(labels) : {};
    const level = line.level ?? levelIn(own);
    read.lines.push({
      line: { ...line, ...(level && { level }), labels: { ...own, ...line.labels } },
      number,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
