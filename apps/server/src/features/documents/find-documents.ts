import { isKeptInConsole, type StoredDocument } from "@mainstay/contract";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import {
  type DocumentKind,
  type DocumentRow,
  sourceOf,
  toDocument,
} from "#platform/documents/document-kind.ts";
import { findById, listRows, type RowFilter } from "#platform/documents/document-rows.ts";
import { driftedFrom, shownText } from "#platform/documents/text/document-text.ts";
import { findOtherwise, readTexts } from "#platform/documents/text/kept-texts.ts";
import { withTurns } from "#platform/with-turns.ts";
import { lostPaths } from "#platform/sealing/sealed.ts";
import { parseMatcher } from "#platform/documents/match-labels.ts";
import { conflict, notFound } from "#platform/errors.ts";

/** Documents of one answer. */
export const mostListed = 1000;

interface ListInput extends RowFilter {
  /** A label selector. */
  labels?: string | undefined;
  /** With the text of each. */
  text?: boolean | undefined;
  /** Only those that no longer say what their source applied last. */
  drifted?: boolean | undefined;
  limit: number;
  offset: number;
}

export async function listDocuments(
  ctx: Ctx,
  kind: DocumentKind,
  { text = false, drifted = false, ...input }: ListInput,
): Promise<StoredDocument[]> {
  ctx.require(kind.format.resource, "read");
  if (drifted) {
    const ids = await findOtherwise(ctx.db, kind);
    const asked = ids.filter((id) => input.ids?.includes(id) ?? true);
    // Which of them have drifted is known by their texts alone: a portion is one of those that have.
    const all = { ...input, ids: asked, limit: asked.length, offset: 0 };
    const found = await withTexts(ctx.db, kind, await findRows(ctx, kind, all));
    return found
      .filter(({ applied }) => applied !== undefined)
      .slice(input.offset, input.offset + input.limit);
  }
  const rows = await findRows(ctx, kind, input);
  if (text) return withTexts(ctx.db, kind, rows);
  const others = await readTexts(
    ctx.db,
    kind,
    rows.flatMap((row) => (isKeptInConsole(sourceOf(kind, row)) ? [] : [row.id])),
    { onlyOtherwise: true },
  );
  return withTurns(rows, (row) => toStored(kind, row, driftedFrom(kind, row, others.get(row.id))));
}

async function findRows(
  ctx: Ctx,
  kind: DocumentKind,
  { labels, ...filter }: ListInput,
): Promise<DocumentRow[]> {
  if (labels === undefined) return listRows(ctx.db, kind, filter);
  const matches = parseMatcher(labels);
  const rows = await listRows(ctx.db, kind, { ...filter, limit: undefined, offset: 0 });
  return rows
    .filter((row) => matches(kind.toParts(row).labels ?? {}))
    .slice(filter.offset, filter.offset + filter.limit);
}

async function withTexts(
  db: Queryable,
  kind: DocumentKind,
  rows: readonly DocumentRow[],
): Promise<(StoredDocument & { text: string })[]> {
  const kept = await readTexts(
    db,
    kind,
    rows.map(({ id }) => id),
  );
  return withTurns(rows, (row) => {
    const known = kept.get(row.id);
    const shown = shownText(kind, row, known);
    const applied = known?.is_current ? undefined : driftedFrom(kind, row, known, shown);
    return { ...toStored(kind, row, applied), text: shown };
  });
}

/** `applied` is what its source applied last, where it has drifted. */
function toStored(kind: DocumentKind, row: DocumentRow, applied?: string): StoredDocument {
  const lost = lostPaths(row.sealed);
  return {
    id: row.id,
    source: sourceOf(kind, row),
    created_at: row.created_at?.toISOString() ?? null,
    updated_at: row.updated_at?.toISOString() ?? null,
    document: toDocument(kind, row),
    ...(lost.length > 0 && { lost }),
    ...(applied !== undefined && { applied }),
  };
}

export interface Wanted {
  /** Or an id. */
  name: string;
  namespace?: string | undefined;
  source?: string | undefined;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The one row that is meant; what could mean several names none. */
export async function findOne(
  db: Queryable,
  kind: DocumentKind,
  wanted: Wanted,
): Promise<DocumentRow> {
  const { name, namespace, source } = wanted;
  const byId =
    uuid.test(name) && namespace === undefined ? await findById(db, kind, name) : undefined;
  if (byId) return byId;
  const rows = await listRows(db, kind, { ...wanted, limit: 2 });
  const [row, other] = rows;
  const what = `${kind.format.name} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
  if (!row)
    throw notFound(`${what} was not found${source === undefined ? "" : ` from ${source}`}.`);
  if (other)
    throw conflict(`There are several: ${what}. Name one by its id, its namespace or its source.`);
  return row;
}

export async function findDocument(
  ctx: Ctx,
  kind: DocumentKind,
  wanted: Wanted,
): Promise<StoredDocument & { text: string }> {
  ctx.require(kind.format.resource, "read");
  const row = await findOne(ctx.db, kind, wanted);
  const [stored] = await withTexts(ctx.db, kind, [row]);
  return stored!;
}
