import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import type { StoredLine } from "./incoming-line.ts";
import { timeOf } from "./line-position.ts";

/** The channel on which servers tell each other that lines have come: `<first id>-<last id>`. */
export const LINES_CHANNEL = "log_lines";

/** Writes lines with one statement, in the order in which they came, and announces them. */
export async function writeLines(tx: Queryable, lines: readonly StoredLine[]): Promise<void> {
  await tx.run(sql`
    with written as (
      insert into log_lines (time, nanos, level, length, message, labels)
      select * from unnest(
        ${lines.map(({ micros }) => timeOf(micros))}::timestamptz[], ${lines.map(({ nanos }) => nanos)}::int2[],
        ${lines.map(({ level }) => level)}::int2[], ${lines.map(({ length }) => length)}::int4[],
        ${lines.map(({ message }) => message)}::text[], ${lines.map(({ labels }) => JSON.stringify(labels))}::jsonb[])
      returning id)
    select pg_notify(${LINES_CHANNEL}, min(id) || '-' || max(id)) from written`);
}
