import { stringify } from "csv-stringify/sync";
import { withTurns } from "#platform/with-turns.ts";
import type { PartSource, Row, SnapshotPart } from "../parts/part.ts";
import { hideInJson } from "./hide-named.ts";

/** What a file came to, for the page of the snapshot. */
export interface FileTally {
  name: string;
  rows: number;
  /** What of it is not told. */
  notices: Set<string>;
  /** The first rows. */
  first: Row[];
}

export interface FileLimits {
  /** A file ends with the row that passes it. */
  bytes: number;
  /** Rows that the page shows. */
  shown: number;
}

interface Format {
  head: (columns: readonly string[]) => string;
  row: (row: Row, columns: readonly string[]) => string;
  /** Between rows. */
  between: string;
  end: string;
}

const formats = {
  json: {
    head: () => "[",
    row: (row, columns) =>
      `\n${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])))}`,
    between: ",",
    end: "\n]\n",
  },
  csv: {
    head: (columns) => stringify([[...columns]]),
    // Sheets run what begins with = + - or @ as a formula; a sign before it makes it a text.
    row: (row, columns) =>
      stringify([columns.map((column) => cell(row[column]))], { escape_formulas: true }),
    between: "",
    end: "",
  },
} as const satisfies Record<string, Format>;

const cell = (value: unknown): string | number | boolean =>
  value === null || value === undefined
    ? ""
    : value instanceof Date
      ? value.toISOString()
      : typeof value === "object"
        ? JSON.stringify(value)
        : (value as string | number | boolean);

export type FileFormat = keyof typeof formats;
export const fileFormats = Object.keys(formats) as FileFormat[];

export interface PartFile {
  part: SnapshotPart;
  format: FileFormat;
  source: Omit<PartSource, "notice">;
  limits: FileLimits;
  tally: FileTally;
}

/** One file of a snapshot, piece by piece; its tally is whole at its end. */
export async function* writePart(file: PartFile): AsyncGenerator<string> {
  const { part, source, limits, tally } = file;
  const format: Format = formats[file.format];
  const rows = part.rows({ ...source, notice: (text) => tally.notices.add(text) });
  yield format.head(part.columns);
  let bytes = 0;
  for await (const portion of rows) {
    let pieces = "";
    const texts = await withTurns(portion, (row) => {
      const readable = hideInJson(row) as Row;
      return { row: readable, text: format.row(readable, part.columns) };
    });
    for (const { row, text } of texts) {
      pieces += tally.rows === 0 ? text : format.between + text;
      bytes += Buffer.byteLength(text);
      tally.rows += 1;
      if (tally.first.length < limits.shown) tally.first.push(pick(row, part.shown));
      if (bytes > limits.bytes) {
        tally.notices.add(
          `It ends after ${tally.rows} rows, which are ${Math.floor(limits.bytes / 1024 / 1024)} MiB.`,
        );
        yield pieces;
        yield format.end;
        return;
      }
    }
    yield pieces;
  }
  yield format.end;
}

const pick = (row: Row, columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, row[column]]));
