import { parse as parseCsv } from "csv-parse/sync";
import { parse as parseTomlText, stringify as stringifyToml, TomlDate } from "smol-toml";
import { parseAllDocuments, stringify as stringifyYaml } from "yaml";
import { Duration, isMapping, type Value } from "../values.ts";
import { goText, goType, sortedKeys, TooMuch } from "./go-format.ts";

const maxCharacters = 10_000_000;
const maxDepth = 500;

export interface JsonStyle {
  /** `<`, `>` and `&` as escapes, as Go does unless told otherwise. */
  escapesHtml?: boolean;
  /** One level of it; everything on one line when absent. */
  indent?: string;
}

/** JSON with its keys in order, so that the same value is always the same text. */
export function toJson(value: Value, { escapesHtml = false, indent }: JsonStyle = {}): string {
  let written = 0;
  const text = (piece: string): string => {
    written += piece.length;
    if (written > maxCharacters) throw new TooMuch("the text gets too long");
    return piece;
  };
  const quote = (string: string): string => {
    const quoted = JSON.stringify(string.toWellFormed())
      .replaceAll("\u2028", "\\u2028")
      .replaceAll("\u2029", "\\u2029");
    if (!escapesHtml) return quoted;
    return quoted.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  };
  const write = (item: Value, depth: number): string => {
    if (depth > maxDepth) throw new TooMuch("values are nested too deeply");
    if (item === null) return text("null");
    if (typeof item === "boolean" || typeof item === "bigint") return text(String(item));
    if (typeof item === "number") {
      if (!Number.isFinite(item)) throw new Error(`JSON has no number ${goText(item)}`);
      return text(Object.is(item, -0) ? "-0" : String(item));
    }
    if (typeof item === "string") return text(quote(item));
    if (item instanceof Uint8Array) return text(`"${Buffer.from(item).toString("base64")}"`);
    if (item instanceof Date) return text(quote(rfc3339(item)));
    if (item instanceof Duration) return text(String(item.nanoseconds));
    const inner = indent === undefined ? "" : `\n${indent.repeat(depth + 1)}`;
    const close = indent === undefined ? "" : `\n${indent.repeat(depth)}`;
    const members = Array.isArray(item)
      ? item.map((member: Value) => inner + write(member, depth + 1))
      : isMapping(item)
        ? sortedKeys(item).map(
            (key) =>
              `${inner}${text(quote(key))}:${indent === undefined ? "" : " "}${write(item[key] ?? null, depth + 1)}`,
          )
        : [];
    const [open, end] = Array.isArray(item) ? "[]" : "{}";
    return members.length === 0
      ? text(`${open}${end}`)
      : text(open ?? "") + members.join(",") + close + (end ?? "");
  };
  return write(value, 0);
}

/** A time of UTC as RFC 3339 has it, without the zeros at the end of its fraction. */
export const rfc3339 = (time: Date): string =>
  Number.isNaN(time.getTime())
    ? "0001-01-01T00:00:00Z"
    : time.toISOString().replace(/0+Z$/, "Z").replace(".Z", "Z");

const shorten = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** What JSON says; what is nearly JSON is read as YAML, of which JSON is a part. */
export function fromJson(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fromYaml(text);
  }
}

/** Of several documents the first. */
export function fromYaml(text: string): Value {
  const [document] = parseAllDocuments(text, { logLevel: "silent", prettyErrors: false });
  if (document === undefined || !("errors" in document)) return null;
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${error.message} in ${JSON.stringify(shorten(text))}`);
  return plain(document.toJS({ maxAliasCount: 100 }), 0);
}

/** Values as a reader of another package made them, turned into ours. */
function plain(value: unknown, depth: number): Value {
  if (depth > maxDepth) throw new TooMuch("values are nested too deeply");
  if (value === undefined || value === null) return null;
  if (value instanceof TomlDate) {
    return value.isLocal() || value.isDate() || value.isTime()
      ? value.toISOString()
      : new Date(value.getTime());
  }
  if (value instanceof Date || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (value instanceof Map || value instanceof Set) {
    return plain(value instanceof Map ? Object.fromEntries(value) : Array.from(value), depth + 1);
  }
  if (typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]),
    );
  }
  return value as Value;
}

/** Ready for a writer of another package: integers as such, times as text. */
function bare(value: Value, depth = 0): unknown {
  if (depth > maxDepth) throw new TooMuch("values are nested too deeply");
  if (value instanceof Duration) return goText(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map((item: Value) => bare(item, depth + 1));
  if (isMapping(value)) {
    return Object.fromEntries(
      sortedKeys(value).map((key) => [key, bare(value[key] ?? null, depth + 1)]),
    );
  }
  return value;
}

export function toYaml(value: Value): string {
  return stringifyYaml(bare(value), {
    indent: 2,
    lineWidth: 0,
    aliasDuplicateObjects: false,
    // Texts that older readers take for a boolean or a number are quoted for them.
    compat: "yaml-1.1",
  });
}

export function fromToml(text: string): Value {
  return plain(parseTomlText(text), 0);
}

export function toToml(value: Value): string {
  if (!isMapping(value)) throw new Error(`TOML is written of a map, got ${goType(value)}`);
  return stringifyToml(bare(value));
}

interface Table {
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Of CSV functions: the text, before it the names of the columns, before that the delimiter. */
function csvTable(args: readonly string[]): Table {
  const text = args[args.length - 1] ?? "";
  let delimiter = ",";
  let header: readonly string[] | undefined;
  const [first = "", second = ""] = args;
  if (args.length === 2) {
    if (first === "") header = [];
    else if (Array.from(first).length === 1) delimiter = first;
    else header = first.split(",");
  } else if (args.length === 3) {
    delimiter = first;
    header = second === "" ? [] : second.split(delimiter);
  }
  const rows = parseCsv(text, {
    delimiter,
    relax_column_count: false,
    skip_empty_lines: true,
  });
  if (rows.length === 0) return { header: header ?? [], rows };
  if (header === undefined) return { header: rows[0] ?? [], rows: rows.slice(1) };
  if (header.length > 0) return { header, rows };
  return { header: (rows[0] ?? []).map((_, i) => letters(i)), rows };
}

/** A … Z, AA, BB … */
const letters = (i: number): string =>
  String.fromCharCode(65 + (i % 26)).repeat(Math.floor(i / 26) + 1);

export function csv(args: readonly string[]): Value {
  const { header, rows } = csvTable(args);
  return header.length === 0 && rows.length === 0 ? [] : [header, ...rows];
}

export function csvByRow(args: readonly string[]): Value {
  const { header, rows } = csvTable(args);
  return rows.map((row) =>
    Object.fromEntries(row.map((cell, i) => [header[i] ?? letters(i), cell])),
  );
}

export function csvByColumn(args: readonly string[]): Value {
  const { header, rows } = csvTable(args);
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Object.fromEntries(
    Array.from({ length: width }, (_, i) => [
      header[i] ?? letters(i),
      rows.map((row) => row[i] ?? ""),
    ]),
  );
}

/** RFC 4180: lines end with CRLF. `write` says how a cell that is no text is written. */
export function toCsv(rows: Value, delimiter: string, write: (cell: Value) => string): string {
  const mistaken = (): never => {
    throw new Error(`CSV is written of a list of lists, got ${goType(rows)}`);
  };
  if (!Array.isArray(rows)) return mistaken();
  const quote = (cell: string): string =>
    cell !== "" &&
    (cell === "\\." || cell.includes(delimiter) || /["\r\n]/.test(cell) || /^\s/.test(cell))
      ? `"${cell.replaceAll('"', '""').replace(/\r?\n/g, "\r\n")}"`
      : cell;
  return (rows as readonly Value[])
    .map((row) => {
      if (!Array.isArray(row)) return mistaken();
      return `${(row as readonly Value[]).map((cell) => quote(write(cell))).join(delimiter)}\r\n`;
    })
    .join("");
}

/** `a=b,c=d`, as labels are often written. */
export const mapToKeyVal = (mapping: Value): string => {
  if (!isMapping(mapping)) throw new Error(`expected a map, got ${goType(mapping)}`);
  return sortedKeys(mapping)
    .map((key) => `${key}=${goText(mapping[key] ?? null)}`)
    .join(",");
};

export function keyValToMap(text: string): Value {
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const parts = pair.trim().split("=");
      if (parts.length !== 2)
        throw new Error(`${JSON.stringify(pair)} is not of the form key=value`);
      return [parts[0] ?? "", parts[1] ?? ""];
    }),
  );
}
