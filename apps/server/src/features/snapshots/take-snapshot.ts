import type { Readable } from "node:stream";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import type { Scope, SnapshotKind } from "./kinds/kind.ts";
import { findSelectors } from "./logs/find-selectors.ts";
import { type LineFormatName, writeLines } from "./logs/write-lines.ts";
import type { SnapshotPart } from "./parts/part.ts";
import { snapshotParts } from "./parts/parts.ts";
import type { SnapshotRange } from "./range.ts";
import { createReader } from "./reader.ts";
import { type PageTable, writePage } from "./writing/page.ts";
import { fileFormats, type FileTally, writePart } from "./writing/part-files.ts";
import { zipOf, type ZipEntry } from "./writing/zip.ts";

export interface SnapshotAsked {
  kind: SnapshotKind;
  id: string;
  range: SnapshotRange;
  withRelated: boolean;
  /** How log lines are written; as plain lines when absent. */
  logFormat?: LineFormatName | undefined;
  /** Told how long each statement took, in milliseconds. */
  spent: (ms: number) => void;
  /** Ends it wherever it is. */
  signal: AbortSignal;
}

export interface Snapshot {
  /** What it is of. */
  name: string;
  /** The zip, made while it is read. */
  content: () => Readable;
}

const mebibyte = 1024 * 1024;
const limits = { bytes: 64 * mebibyte, shown: 200 };
/** Of one file of lines, and of all of them. */
const lineLimits = { lines: 10_000, bytes: 16 * mebibyte, shown: 100 };
const forAllLines = { bytes: 64 * mebibyte, ms: 2 * 60_000 };
const lineColumns = ["timestamp", "level", "message"];

/**
 * Everything that is known of a thing in a range of time, as far as the asker may read it.
 * @throws notFound where there is no such thing; what fails later fails the stream
 */
export async function takeSnapshot(ctx: Ctx, asked: SnapshotAsked): Promise<Snapshot> {
  const { kind, id, range, withRelated, logFormat = "log", spent, signal } = asked;
  ctx.require(kind.read, "read");
  const ask = createReader({ db: ctx.db, signal, spent });
  const scope = await kind.find({ ask, id, range, withRelated });
  if (!scope) throw notFound(`There is no such ${kind.noun}.`);
  const [readable, others] = parted(snapshotParts, ({ read }) => ctx.can(read, "read"));
  const seesLines = ctx.can("logging_backends", "read");
  const selectors = seesLines ? await findSelectors(ask, scope) : [];
  if (!seesLines) scope.notices.push("Log lines: you do not have permission to read them.");
  else if (selectors.length === 0)
    scope.notices.push("Log lines: no component in it says which are its own.");
  const tables: PageTable[] = [];

  function* entries(): Generator<ZipEntry> {
    for (const part of readable) {
      const files: FileTally[] = [];
      tables.push({ title: part.title, columns: part.shown, files });
      for (const format of fileFormats) {
        const name = `${part.file}.${format}`;
        const tally: FileTally = { name, rows: 0, notices: new Set(), first: [] };
        files.push(tally);
        yield {
          name,
          content: writePart({
            part,
            format,
            source: { ask, scope: scope!, range },
            limits,
            tally,
          }),
        };
      }
    }
    const room = { bytes: forAllLines.bytes, endsAt: Date.now() + forAllLines.ms };
    for (const lines of selectors) {
      const name = `${lines.file}.${logFormat}`;
      const tally: FileTally = { name, rows: 0, notices: new Set(), first: [] };
      tables.push({ title: lines.title, columns: lineColumns, files: [tally] });
      const file = { lines, range, format: logFormat, limits: lineLimits, room, tally };
      yield { name, content: writeLines(ctx, { ...file, signal, spent }) };
    }
    // Last, as it says what the others came to.
    yield { name: "index.html", content: page() };
  }
  async function* page() {
    yield* writePage({
      ...asked,
      name: scope!.name,
      type: scope!.type,
      noun: kind.noun,
      taken: ctx.clock.now(),
      by: ctx.actor.kind === "person" ? ctx.actor.name : undefined,
      tables,
      notices: noticesOf(scope!, others),
    });
  }
  return { name: scope.name, content: () => zipOf(entries(), { mtime: ctx.clock.now() }) };
}

const noticesOf = (scope: Scope, leftOut: readonly SnapshotPart[]): string[] => [
  ...scope.notices,
  ...leftOut.map(({ title }) => `${title}: you do not have permission to read them.`),
  "Secrets: what a name says to be secret is hidden, wherever it stands.",
];

function parted<Item>(items: readonly Item[], isOne: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isOne), items.filter((item) => !isOne(item))];
}
