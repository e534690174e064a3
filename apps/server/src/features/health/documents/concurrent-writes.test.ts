import { randomUUID } from "node:crypto";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testDatabase } from "../../../testing/app.ts";
import { checkResult } from "../results/check-result.ts";
import { writeResults } from "../results/write-results.ts";

/** Results are written, and canaries deleted, at the same time: whoever comes second waits, and neither is ended. */

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

async function makeCanary(checkIds: readonly string[]): Promise<string> {
  const canary = await database.db.first<{ id: string }>(sql`
    insert into canaries (name, namespace, spec) values (${randomUUID()}, 'r', '{}') returning id`);
  for (const [place, id] of checkIds.entries())
    await database.db.run(sql`
      insert into checks (id, canary_id, type, name) values (${id}, ${canary!.id}, 'http', ${String(place)})`);
  return canary!.id;
}

const passOf = (checkId: string) =>
  checkResult({
    checkId,
    time: new Date("2026-01-01T10:00:00Z"),
    durationMs: 1,
    pass: true,
    failuresNeeded: 1,
    successesNeeded: 1,
    nextAt: undefined,
  });

const waiting = (count: number) =>
  vi.waitFor(async () => {
    const found = await database.db.first<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`);
    expect(found).toEqual({ count });
  });

/** Written from the first check on, while those are deleted that were made, and named, from the last one on. */
test.each([
  ["a canary", 1],
  ["several canaries at once", 2],
])("%s can be deleted while results of its checks are written", async (_, canaries) => {
  const [first, last] = [randomUUID(), randomUUID()].toSorted() as [string, string];
  const ids =
    canaries === 1
      ? [await makeCanary([last, first])]
      : [await makeCanary([last]), await makeCanary([first])];
  const blocker = await database.db.connect();
  try {
    await blocker.query("begin");
    await blocker.query("select from checks where id = $1 for update", [first]);
    const written = database.db.transaction((tx) =>
      writeResults(tx, [passOf(first), passOf(last)]),
    );
    await waiting(1);
    const deleted = database.db.run(
      sql`update canaries set deleted_at = now() where id = any(${ids}::uuid[])`,
    );
    await waiting(2);
    await blocker.query("commit");
    expect(await Promise.all([written, deleted])).toEqual([2, canaries]);
  } finally {
    await blocker.end();
  }
  expect(
    await database.db.first(sql`
      select count(*) filter (where deleted_at is not null)::int as deleted, count(last_runtime)::int as ran
        from checks where id in (${first}, ${last})`),
  ).toEqual({ deleted: 2, ran: 2 });
});
