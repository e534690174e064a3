import { consoleSource } from "@mainstay/contract";
import { escapeIdentifier } from "pg";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Tx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { type DocumentKind, plainColumns } from "../document-kind.ts";

/*
 * The texts of all kinds of documents stand in one table beside them: no kind has a column for its text, and no row of
 * the data API carries one. A text is kept with a digest of what its row said at that time, so that it is known whether
 * the row still says it, whoever has written to it since.
 */

type Kept = Pick<DocumentKind, "format" | "table" | "columns">;

/** What a row says, as a digest. Nothing and an empty mapping are the same. */
function meaningOf({ columns = plainColumns }: Kept): Sql {
  const values = columns.map(
    (name) => sql`coalesce(nullif(to_jsonb(d.${raw(escapeIdentifier(name))}), 'null'), '{}')`,
  );
  return sql`md5(jsonb_build_array(${join(values)})::text)`;
}

const tableOf = ({ table }: Kept): Sql => raw(escapeIdentifier(table));

export interface KeptText {
  id: string;
  text: string;
  /** The row says what it said when the text was kept. */
  is_current: boolean;
}

/** The texts of these rows, as they were written; or of those alone that say something else since. */
export async function readTexts(
  db: Queryable,
  kind: Kept,
  ids: readonly string[],
  { onlyOtherwise = false } = {},
): Promise<ReadonlyMap<string, KeptText>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<KeptText>(sql`
    select t.id, t.text, t.meaning = ${meaningOf(kind)} as is_current
      from document_texts t join ${tableOf(kind)} d on d.id = t.id
     where t.kind = ${kind.format.kind} and t.id = any(${ids}::uuid[])
       and (not ${onlyOtherwise}::boolean or t.meaning <> ${meaningOf(kind)})`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Rows of other places than the console that say something else than when their text was kept. */
export async function findOtherwise(db: Queryable, kind: Kept): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select d.id from document_texts t join ${tableOf(kind)} d on d.id = t.id
     where t.kind = ${kind.format.kind} and d.deleted_at is null
       and coalesce(nullif(d.source::text, ''), ${consoleSource}) <> ${consoleSource}
       and t.meaning <> ${meaningOf(kind)}`);
  return rows.map(({ id }) => id);
}

/** Keeps the text of a row as it is now. */
export async function keepText(
  tx: Tx,
  kind: Kept,
  { id, text }: { id: string; text: string },
): Promise<void> {
  await tx.run(sql`
    insert into document_texts (kind, id, text, meaning)
    select ${kind.format.kind}, d.id, ${text}, ${meaningOf(kind)} from ${tableOf(kind)} d where d.id = ${id}::uuid
    on conflict (kind, id) do update set text = excluded.text, meaning = excluded.meaning
     where (document_texts.text, document_texts.meaning) is distinct from (excluded.text, excluded.meaning)`);
}

/** Of rows that are gone, or whose text may say what must not be said. */
export async function forgetTexts(
  tx: Pick<Tx, "run">,
  { format }: Pick<DocumentKind, "format">,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(
    sql`delete from document_texts where kind = ${format.kind} and id = any(${ids}::uuid[])`,
  );
}
