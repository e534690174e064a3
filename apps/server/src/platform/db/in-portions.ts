import sql, { raw, type Sql } from "sql-template-tag";
import type { Queryable } from "./database.ts";

/** Rows that are read without a break. */
const usual = 1_000;

/**
 * The rows of one statement, as they were at one moment, some at a time: of ten thousand at once the driver would read for
 * a tenth of a second and more, and everything else would wait. One statement of a transaction at a time.
 */
export async function* inPortions<Row extends object>(
  tx: Queryable,
  statement: Sql,
  portion = usual,
): AsyncGenerator<Row[]> {
  // All rows are wanted, and not the first of them soon.
  await tx.run(sql`set local cursor_tuple_fraction = 1`);
  await tx.run(sql`declare portions no scroll cursor for ${statement}`);
  let read: number;
  do {
    const rows = await tx.rows<Row>(sql`fetch ${raw(String(portion))} from portions`);
    read = rows.length;
    if (read > 0) yield rows;
  } while (read === portion);
  await tx.run(sql`close portions`);
}
