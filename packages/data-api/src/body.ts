import { parse as parseCsv } from "csv-parse/sync";
import type { InputRow } from "./declare.ts";
import { ApiError, badBody, beyondLimit } from "./errors.ts";
import { limits } from "./limits.ts";
import { parseQueryString } from "./parse/query-string.ts";
import { bodyText, type DataApiRequest, header } from "./request.ts";

/** Rows as the client sent them, and as values. */
export interface Payload {
  /** JSON text of an array of objects. */
  text: string;
  rows: InputRow[];
}

/** The media type of a body without its parameters; a body without one is JSON. */
export function mediaTypeOf<Context>(request: DataApiRequest<Context>): string {
  const type = header(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === undefined || type === "" || type.endsWith("+json")) return "application/json";
  return type;
}

/** Reads the body of a write: one row or several, as JSON, CSV or a form. */
export function readPayload<Context>(
  request: DataApiRequest<Context>,
  { mayDiffer, isExact }: { mayDiffer: boolean; isExact: boolean },
): Payload {
  const text = bodyText(request);
  const type = mediaTypeOf(request);
  if (type === "application/json") return readJson(text, mayDiffer, isExact);
  if (type === "text/csv") return asPayload(readCsv(text));
  if (type === "application/x-www-form-urlencoded") return asPayload([readForm(text)]);
  throw unknownType(type);
}

export const unknownType = (type: string) =>
  new ApiError(400, "PGRST102", `Content-Type not acceptable: ${type}`);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody("Empty or invalid json");
  }
}

/**
 * The same value, but a number that would lose digits stays as it is written: an object that `JSON.stringify` writes
 * out again, see `JSON.rawJSON`.
 */
export const parseExact = (text: string): unknown => parseKeeping(text, isSameNumber);

/** The same, for what is not looked at: here `1.10` stays `1.10` too. */
export const parseVerbatim = (text: string): unknown =>
  parseKeeping(text, (value, source) => source === String(value));

function parseKeeping(text: string, isKept: (value: number, source: string) => boolean): unknown {
  const keep = (_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === "number" && source !== undefined && !isKept(value, source)
      ? exactJson.rawJSON(source)
      : value;
  try {
    return exactJson.parse(text, keep);
  } catch (cause) {
    // Deeper than the stack reaches.
    if (cause instanceof RangeError) throw badBody("The body has too many levels");
    throw badBody("Empty or invalid json");
  }
}

/** What Node has beyond the language's own declarations: the text a value was read from, and text written as it is. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const exactJson = JSON as unknown as ExactJson;

/** Whether it is a number that stayed as it was written. */
export const isNumberText = (value: unknown): boolean => exactJson.isRawJSON(value);

const isSameNumber = (value: number, source: string) =>
  source === String(value) || (Number.isFinite(value) && digits(source) === digits(String(value)));

/** A decimal number without the zeros that say nothing, as digits and exponent. */
function digits(text: string): string {
  const [, whole = "", part = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const all = `${whole}${part}`.replace(/^0+/, "");
  const kept = all.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${kept}e${Number(exponent) - part.length + all.length - kept.length}`;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const isOpening = (sign: number) => sign === 0x5b || sign === 0x7b;
const isClosing = (sign: number) => sign === 0x5d || sign === 0x7d;

/**
 * Looks at nothing but brackets, commas and quotes, before anything is built of them: what is refused only afterwards
 * has held everybody up until then. What is no JSON may pass here.
 */
function checkExtent(text: string): void {
  const isList = /^\s*\[/.test(text);
  let [depth, rows, values] = [0, 1, 1];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign === quote) {
      at = endOfText(text, at);
    } else if (sign === comma) {
      values += 1;
      if (values > limits.bodyValues) throw beyondLimit("values in the body", limits.bodyValues);
      if (depth === 1 && isList) checkCount((rows += 1));
    } else if (isOpening(sign)) {
      depth += 1;
      if (depth > limits.bodyDepth) throw beyondLimit("levels in the body", limits.bodyDepth);
    } else if (isClosing(sign)) depth -= 1;
  }
}

/** Where the text ends that begins with the quote at a place; the end of everything where it does not. */
function endOfText(json: string, begin: number): number {
  let end = json.indexOf('"', begin + 1);
  while (end > 0) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before -= 1;
    // An even number of backslashes are themselves.
    if ((end - before) % 2 === 1) return end;
    end = json.indexOf('"', end + 1);
  }
  return json.length;
}

function readJson(text: string, mayDiffer: boolean, isExact: boolean): Payload {
  checkExtent(text);
  const value = isExact ? parseExact(text) : parseJson(text);
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  checkCount(rows.length);
  if (!rows.every(isRow)) throw badBody("All object keys must match");
  const first = Object.keys(rows[0] ?? {});
  for (const row of mayDiffer ? [] : rows) {
    if (
      Object.keys(row).length !== first.length ||
      !first.every((key) => Object.hasOwn(row, key))
    ) {
      throw badBody("All object keys must match");
    }
  }
  return { text: Array.isArray(value) ? text : `[${text}]`, rows };
}

export function readCsv(text: string): InputRow[] {
  let lines: string[][];
  try {
    // The head, the rows, and one more that says that there are too many.
    const to = limits.bodyRows + 2;
    lines = parseCsv(text, { relax_column_count: true, skip_empty_lines: true, bom: true, to });
  } catch (cause) {
    throw badBody(`The CSV cannot be read: ${cause instanceof Error ? cause.message : "?"}`);
  }
  const [head = [], ...rest] = lines;
  checkCount(rest.length);
  // A line that is cut off says less; what it says more is nobody's.
  const lengths = new Set(rest.map((line) => Math.min(line.length, head.length)));
  if (lengths.size > 1) throw badBody("All lines must have same number of fields");
  if (rest.length === 0 && !/\S[^\n]*\n/.test(text))
    throw badBody('parse error (not enough input) at ""');
  return rest.map((line) =>
    Object.fromEntries(
      head
        .slice(0, line.length)
        .map((key, index) => [key, line[index] === "NULL" ? null : line[index]]),
    ),
  );
}

export const readForm = (text: string): InputRow => Object.fromEntries(parseQueryString(text));

const asPayload = (rows: InputRow[]): Payload => ({ text: JSON.stringify(rows), rows });

function checkCount(count: number): void {
  if (count > limits.bodyRows) throw beyondLimit("rows in the body", limits.bodyRows);
}

const isRow = (value: unknown): value is InputRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);
