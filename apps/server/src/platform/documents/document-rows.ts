import { consoleSource, isKeptInConsole, type ParsedDocument, placeOf } from "@mainstay/contract";
import { escapeIdentifier } from "pg";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Ctx, Tx } from "../context.ts";
import type { Queryable } from "../db/database.ts";
import { type Locate, requireCode } from "../require-code.ts";
import type { Sealed } from "../sealing/sealed.ts";
import { withoutLastApplied } from "./annotations.ts";
import {
  type DocumentKind,
  type DocumentParts,
  type DocumentRow,
  sourceOf,
} from "./document-kind.ts";
import { sealSpec } from "./kind-sealer.ts";
import { KeptElsewhere } from "./kept-elsewhere.ts";
import { forgetTexts } from "./text/kept-texts.ts";
import { hasSource } from "./source-condition.ts";

/** The rows of a kind of documents: one statement each, whatever the table. */

export interface RowFilter {
  name?: string | undefined;
  namespace?: string | undefined;
  source?: string | null | undefined;
  ids?: readonly string[] | undefined;
}

const tableOf = ({ table }: Pick<DocumentKind, "table">): Sql => raw(escapeIdentifier(table));
const column = (name: string): Sql => raw(escapeIdentifier(name));

function conditionOf(
  { key, exactSource }: Pick<DocumentKind, "key" | "exactSource">,
  { name, namespace, source, ids }: RowFilter,
): Sql {
  const all = [
    sql`deleted_at is null`,
    name === undefined ? empty : sql`${column(key.name)} = ${name}`,
    namespace === undefined || key.namespace === undefined
      ? empty
      : sql`${column(key.namespace)} = ${namespace}`,
    source === undefined ? empty : hasSource({ exactSource }, source),
    ids === undefined ? empty : sql`id = any(${ids}::uuid[])`,
  ];
  return join(
    all.filter((part) => part !== empty),
    " and ",
  );
}

/** Rows that are not deleted, by their names. */
export function listRows<Row extends DocumentRow>(
  db: Queryable,
  kind: DocumentKind<Row>,
  filter: RowFilter & { limit?: number; offset?: number; lock?: boolean },
): Promise<Row[]> {
  const { limit = null, offset = 0, lock = false } = filter;
  const { name, namespace } = kind.key;
  const order = namespace === undefined ? empty : sql`${column(namespace)},`;
  return db.rows<Row>(sql`
    select * from ${tableOf(kind)} where ${conditionOf(kind, filter)}
     order by ${order} ${column(name)}, id limit ${limit} offset ${offset}
     ${lock ? sql`for update` : empty}`);
}

export const findById = <Row extends DocumentRow>(
  db: Queryable,
  kind: DocumentKind<Row>,
  id: string,
): Promise<Row | undefined> =>
  db.first<Row>(sql`select * from ${tableOf(kind)} where id = ${id}::uuid and deleted_at is null`);

/** The rows that could be meant by a name from a source. */
const sourceThatCounts = ({ key }: Pick<DocumentKind, "key">, source: string | null) =>
  key.isAcrossSources ? undefined : source;

/** The row that a document stands for, for update: that of its uid, or else of its names and source. */
async function findFor<Row extends DocumentRow>(
  tx: Tx,
  kind: DocumentKind<Row>,
  { name, namespace, uid }: Pick<ParsedDocument, "name" | "namespace" | "uid">,
  source: string | null,
): Promise<Row | undefined> {
  const wanted = uid ?? null;
  return tx.first<Row>(sql`
    select * from ${tableOf(kind)}
     where id = ${wanted}::uuid or (${conditionOf(kind, { name, namespace, source: sourceThatCounts(kind, source) })})
     order by id = ${wanted}::uuid desc nulls last limit 1 for update`);
}

function refuseElsewhere<Row extends DocumentRow>(
  kind: DocumentKind<Row>,
  row: Row,
  { uid, source }: { uid: string | undefined; source: string | null },
): void {
  const keptIn = sourceOf(kind, row);
  if (row.deleted_at !== null || placeOf(keptIn) === placeOf(source)) return;
  const { name, namespace } = kind.toParts(row);
  const by = uid?.toLowerCase() === row.id ? "uid" : "name";
  throw new KeptElsewhere(kind, { name, namespace, source: keptIn, by });
}

export interface SavedRow<Row extends DocumentRow> {
  /** As it was; none when it is new. */
  before: Row | undefined;
  row: Row;
  isChanged: boolean;
  /** Paths of secrets that the document wrote out. */
  written: readonly string[];
}

/** One document to its row, and to all that follows from it. */
export async function saveRow<Row extends DocumentRow>(
  ctx: Ctx,
  tx: Tx,
  kind: DocumentKind<Row>,
  {
    document,
    source,
    locate,
    keepsSecrets = false,
  }: {
    document: ParsedDocument;
    source: string | null;
    locate?: Locate;
    /** Those that the document no longer says stay with the row, until it is saved without this. */
    keepsSecrets?: boolean;
  },
): Promise<SavedRow<Row>> {
  const kept = isKeptInConsole(source) ? null : source;
  const before = await findFor(tx, kind, document, kept);
  if (before) refuseElsewhere(kind, before, { uid: document.uid, source: kept });
  const { spec, sealed } = sealSpec(ctx.config, kind, document.source, ["spec"]);
  const parts: DocumentParts = {
    name: document.name,
    namespace: document.namespace,
    labels: document.labels,
    annotations: withoutLastApplied(document.annotations),
    spec,
  };
  const left = keepsSecrets ? keptOf(before?.sealed) : {};
  const values = { ...kind.toRow(parts), ...(sealed && { sealed: { ...left, ...sealed } }) };
  const from = before?.deleted_at === null ? {} : sourceColumns(kind, kept);
  const saved = before
    ? await updateRow<Row>(tx, kind, before, { ...values, ...from })
    : await insertRow<Row>(
        tx,
        kind,
        { ...values, ...from },
        {
          id: document.uid ?? null,
          created_by: ctx.actor.kind === "person" ? ctx.actor.id : null,
        },
      );
  const isChanged = !before || (saved as { is_changed?: boolean }).is_changed === true;
  const written = Object.entries(sealed ?? {}).flatMap(([path, value]) =>
    "keep" in value ? [] : [path],
  );
  if (isChanged) await kind.follow(ctx, tx, saved, locate ? { locate } : {});
  // Else a refusal of what follows would tell that a secret was guessed wrong.
  else if (written.length > 0)
    requireCode(ctx, kind.format.codeIn?.(document.source) ?? [], locate);
  return { before, row: saved, isChanged, written };
}

const keptOf = (sealed: Sealed = {}): Sealed =>
  Object.fromEntries(
    Object.entries(sealed).map(([path, { to }]) => [path, { to, keep: true, at: [] }]),
  );

function sourceColumns(
  { exactSource }: Pick<DocumentKind, "exactSource">,
  source: string | null,
): Record<string, string | null> {
  if (!exactSource) return { source };
  const { column: exact, word } = exactSource;
  return { source: source === null ? consoleSource : word(source), [exact]: source };
}

/** The comparison is the database's: two texts of one value are no change, and nothing is the same as an empty mapping. */
async function updateRow<Row extends DocumentRow>(
  tx: Tx,
  kind: DocumentKind<Row>,
  { id }: Row,
  values: Record<string, unknown>,
): Promise<Row> {
  const names = Object.keys(values);
  const columns = join(names.map(column));
  const value = (row: Sql) => sql`coalesce(nullif(to_jsonb(${row}) -> field, 'null'), '{}')`;
  const row = await tx.first<Row>(sql`
    with sent as (select * from jsonb_populate_record(null::${tableOf(kind)}, ${JSON.stringify(values)}::jsonb)),
         stored as (select * from ${tableOf(kind)} where id = ${id})
    update ${tableOf(kind)} t
       set (${columns}) = (select ${columns} from sent), deleted_at = null
      from stored
     where t.id = stored.id
    returning t.*, exists (
      select from unnest(${[...names, "deleted_at"]}::text[]) field
       where ${value(sql`stored`)} is distinct from ${value(sql`t`)}) as is_changed`);
  if (!row) throw new Error(`A row of ${kind.table} has gone while it was saved.`);
  return row;
}

async function insertRow<Row extends DocumentRow>(
  tx: Tx,
  kind: DocumentKind<Row>,
  values: Record<string, unknown>,
  { id, ...own }: { id: string | null; created_by: string | null },
): Promise<Row> {
  const sent = { ...values, ...own };
  const columns = join(Object.keys(sent).map(column));
  const row = await tx.first<Row>(sql`
    insert into ${tableOf(kind)} (id, ${columns})
    select coalesce(${id}::uuid, generate_ulid()), ${columns}
      from jsonb_populate_record(null::${tableOf(kind)}, ${JSON.stringify(sent)}::jsonb)
    returning *`);
  if (!row) throw new Error(`No row of ${kind.table} was written.`);
  return row;
}

/** Deletes a document; what it leaves behind follows from its row. */
export async function deleteRow<Row extends DocumentRow>(
  ctx: Ctx,
  tx: Tx,
  kind: DocumentKind<Row>,
  id: string,
): Promise<boolean> {
  const row = await tx.first<Row>(sql`
    update ${tableOf(kind)} set deleted_at = now() where id = ${id} and deleted_at is null returning *`);
  if (!row) return false;
  await forgetTexts(tx, kind, [id]);
  await kind.follow(ctx, tx, row, {});
  return true;
}

/** Where else documents of the same names are kept, in words: what is saved from another place stands beside them. */
export async function placesBeside(
  tx: Tx,
  kind: DocumentKind,
  { name, namespace, source }: { name: string; namespace: string; source: string },
): Promise<string[]> {
  if (kind.key.isAcrossSources) return [];
  const rows = await listRows(tx, kind, { name, namespace, limit: 3 });
  const places = new Set(rows.map((row) => placeOf(sourceOf(kind, row))));
  places.delete(placeOf(source));
  return [...places];
}

/** Another document of the same names from the same source. */
export async function findTwin(
  tx: Tx,
  kind: DocumentKind,
  { name, namespace, source }: { name: string; namespace: string; source: string | null },
): Promise<boolean> {
  const twin = await tx.first(
    sql`select from ${tableOf(kind)}
         where ${conditionOf(kind, { name, namespace, source: sourceThatCounts(kind, source) })}`,
  );
  return twin !== undefined;
}
