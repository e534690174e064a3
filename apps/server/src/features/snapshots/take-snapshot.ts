import type { Readable } from "node:stream";
import type { Ctx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import type { Scope, SnapshotKind } from "./kinds/kind.ts";
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

const limits = { bytes: 64 * 1024 * 1024, shown: 200 };

/**
 * Everything that is known of a thing in a range of time, as far as the asker may read it.
 * @throws notFound where there is no such thing; what fails later fails the stream
 */
export async function takeSnapshot(ctx: Ctx, asked: SnapshotAsked): Promise<Snapshot> {
  const { kind, id, range, withRelated, spent, signal } = asked;
  ctx.require(kind.read, "read");
  const ask = createReader({ db: ctx.db, signal, spent });
  const scope = await kind.find({ ask, id, range, withRelated });
  if (!scope) throw notFound(`There is no such ${kind.noun}.`);
  const [readable, others] = parted(snapshotParts, ({ read }) => ctx.can(read, "read"));
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
  "Log lines: they are not taken along yet.",
  "Secrets: what a name says to be secret is hidden, wherever it stands.",
];

function parted<Item>(items: readonly Item[], isOne: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isOne), items.filter((item) => !isOne(item))];
}
