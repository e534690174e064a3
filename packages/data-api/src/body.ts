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
  { mayDiffer }: { mayDiffer: boolean },
): Payload {
  const text = bodyText(request);
  const type = mediaTypeOf(request);
  if (type === "application/json") return readJson(text, mayDiffer);
  if (type === "text/csv") return asPayload(readCsv(text));
  if (type === "application/x-www-form-urlencoded") return asPayload([readForm(text)]);
  throw unknownType(type);
}

export const unknownType = (type: string) =>
  new ApiError(415, "PGRST102", `Content-Type not acceptable: ${type}`);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badBody("Empty or invalid json");
  }
}

function readJson(text: string, mayDiffer: boolean): Payload {
  const value = parseJson(text);
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
    lines = parseCsv(text, { relax_column_count: true, skip_empty_lines: true, bom: true });
  } catch (cause) {
    throw badBody(`The CSV cannot be read: ${cause instanceof Error ? cause.message : "?"}`);
  }
  const [head = [], ...rest] = lines;
  checkCount(rest.length);
  return rest.map((line) => {
    if (line.length > head.length) throw badBody("All lines must have same number of fields");
    return Object.fromEntries(
      head.map((key, index) => {
        const value = line[index];
        return [key, value === undefined || value === "NULL" ? null : value];
      }),
    );
  });
}

export const readForm = (text: string): InputRow => Object.fromEntries(parseQueryString(text));

const asPayload = (rows: InputRow[]): Payload => ({ text: JSON.stringify(rows), rows });

function checkCount(count: number): void {
  if (count > limits.bodyRows) throw beyondLimit("rows in the body", limits.bodyRows);
}

const isRow = (value: unknown): value is InputRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);
