import sql, { raw } from "sql-template-tag";
import type { Queryable } from "./db/database.ts";
import { type EncryptedStore, identifier } from "./encrypted-stores.ts";

/** What a row loses with a key. */
export interface Loss {
  /** `connection shop/orders`. */
  title: string;
  /** What of it: paths of secrets; nothing where it is the whole. */
  lost: readonly string[];
  /** It says nothing without what is lost, and goes. */
  isRemoved: boolean;
}

/**
 * Gives up what a key has encrypted that is gone for ever: it is marked as lost, or goes with its row. A trial says what
 * that would be.
 */
export async function forgetKey(
  tx: Queryable,
  stores: readonly EncryptedStore[],
  { keyId, isTrial }: { keyId: string; isTrial: boolean },
): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const { table, column, title, forget } of stores) {
    const rows = await tx.rows<{ at: string; title: string; value: unknown }>(sql`
      select ctid::text as at, ${raw(title)} as title, ${identifier(column)} as value from ${identifier(table)}
       where strpos(${identifier(column)}::text, ${`m1:${keyId}:`}) > 0 order by title for update`);
    for (const row of rows) {
      const { value, lost } = forget(row.value, keyId);
      losses.push({ title: row.title, lost, isRemoved: value === undefined });
      if (isTrial) continue;
      const itself = sql`${identifier(table)} where ctid = ${row.at}::tid`;
      if (value === undefined) await tx.run(sql`delete from ${itself}`);
      else
        await tx.run(
          sql`update ${identifier(table)} set ${identifier(column)} = ${JSON.stringify(value)}::jsonb where ctid = ${row.at}::tid`,
        );
    }
  }
  if (!isTrial) await tx.run(sql`delete from encryption_keys where id = ${keyId}`);
  return losses;
}

/** Documents with secrets that were given up and not written again since: how many, and the first by name. */
export async function listForgotten(
  db: Queryable,
  stores: readonly EncryptedStore[],
  { most }: { most: number },
): Promise<{ count: number; first: string[] }> {
  const first: string[] = [];
  let count = 0;
  for (const { table, title } of stores.filter(({ column }) => column === "sealed")) {
    const rows = await db.rows<{ title: string; count: number }>(sql`
      select ${raw(title)} as title, (count(*) over ())::int as count from ${identifier(table)}
       where deleted_at is null and jsonb_path_exists(sealed, '$.*.lost') order by title limit ${most}`);
    count += rows[0]?.count ?? 0;
    first.push(...rows.map((row) => row.title).slice(0, most - first.length));
  }
  return { count, first };
}
