import sql from "sql-template-tag";
import { expect, vi } from "vitest";
import type { Queryable } from "#platform/db/database.ts";

/** Waits until so many connections to this database wait for what `tx` or another holds. */
export async function untilBlocked(tx: Queryable, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      // Not by pg_stat_activity: a transaction sees it as it was at the first look. Locks of rows name no database.
      const waiting = await tx.first<{ n: number }>(sql`
        select count(distinct pid) as n from pg_locks
         where not granted and pid in (
           select l.pid from pg_locks l join pg_database d on d.oid = l.database
            where d.datname = current_database())`);
      expect(waiting).toEqual({ n: count });
    },
    { timeout: 10_000, interval: 10 },
  );
}
