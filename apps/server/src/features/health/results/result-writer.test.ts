import { Registry } from "prom-client";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import { releaseSql } from "#platform/jobs/claims.ts";
import { testDatabase } from "../../../testing/app.ts";
import { createRunnerMetrics } from "../runner/runner-metrics.ts";
import type { CheckResult } from "./check-result.ts";
import { createResultWriter, type ResultWriterOptions } from "./result-writer.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
const worker = "00000000-0000-4000-8000-0000000000aa";
beforeAll(async () => {
  database = await testDatabase();
  await database.db.run(sql`insert into workers (id, hostname, pid) values (${worker}, 'test', 1)`);
});
afterAll(() => database.drop());

function setUp(options: Partial<ResultWriterOptions> = {}) {
  const metrics = createRunnerMetrics(new Registry());
  const released: string[] = [];
  const writer = createResultWriter({
    db: database.db,
    log: createLog("silent"),
    metrics,
    writer: "test",
    flushMs: 5,
    releaseSql: (claims) => releaseSql(worker, claims),
    released: (claims) => released.push(...claims.map((claim) => claim.key)),
    ...options,
  });
  const lost = async () => (await metrics.resultsLost.get()).values[0]?.value ?? 0;
  return { writer, released, lost };
}

/** The same database, whose transactions fail as `failing` says. */
function unreliable(failing: () => boolean): Database {
  return {
    ...database.db,
    transaction(work, options) {
      if (failing())
        return Promise.reject(
          Object.assign(new Error("Connection terminated unexpectedly"), { code: "57P01" }),
        );
      return database.db.transaction(work, options);
    },
  };
}

let made = 0;
async function makeChecks(count: number): Promise<string[]> {
  const canary = await database.db.first<{ id: string }>(sql`
    insert into canaries (name, namespace, spec, source) values (${`w${++made}`}, 'default', '{}', 'test') returning id`);
  const rows = await database.db.rows<{ id: string }>(sql`
    insert into checks (canary_id, type, name) select ${canary!.id}, 'http', n::text from generate_series(1, ${count}) n returning id`);
  return rows.map((row) => row.id);
}

const at = Date.parse("2026-03-01T00:00:00Z");
const result = (checkId: string, second = 0, more: Partial<CheckResult> = {}): CheckResult => ({
  checkId,
  time: new Date(at + second * 1000),
  durationMs: 1,
  pass: true,
  invalid: false,
  failuresNeeded: 1,
  successesNeeded: 1,
  ...more,
});
const stored = async (ids: readonly string[]) =>
  (await database.db.first<{ count: number }>(sql`
    select count(*) as count from check_statuses where check_id = any(${[...ids]}::uuid[])`))!
    .count;

async function makeClaim(key: string): Promise<Claim> {
  const row = await database.db.first<{ claimed_at: Date }>(sql`
    insert into schedules (kind, key, schedule, slot, claimed_by, claimed_at)
    values ('canary', ${key}, '@every 1s', now(), ${worker}, date_trunc('milliseconds', now())) returning claimed_at`);
  const claimedAt = row!.claimed_at;
  return {
    kind: "canary",
    key,
    slot: claimedAt,
    claimedAt,
    nextAt: undefined,
    signal: new AbortController().signal,
  };
}
const claimedBy = async (key: string) =>
  (
    await database.db.first<{ claimed_by: string | null }>(
      sql`select claimed_by from schedules where key = ${key}`,
    )
  )?.claimed_by;

test("results and the end of their claim are one transaction, and many are a few of them", async () => {
  const ids = await makeChecks(1200);
  const claim = await makeClaim("together");
  let transactions = 0;
  const counting = unreliable(() => {
    transactions++;
    return false;
  });
  const { writer, released } = setUp({ db: counting });
  const writes = ids.map((id) => writer.add({ results: [result(id)] }));
  await Promise.all([...writes, writer.add({ results: [], claims: [claim] })]);
  expect(await stored(ids)).toBe(1200);
  expect(await claimedBy("together")).toBeNull();
  expect(released).toEqual(["together"]);
  expect(transactions).toBeLessThanOrEqual(4);
  await writer.stop();
});

test("several results of one check in one batch are counted in their order", async () => {
  const [id] = await makeChecks(1);
  const { writer } = setUp();
  await Promise.all(
    [true, false, false].map((pass, second) =>
      writer.add({ results: [result(id!, second, { pass })] }),
    ),
  );
  const row = await database.db.first(
    sql`select passed, failed, streak from check_totals where check_id = ${id}`,
  );
  expect(row).toEqual({ passed: 1, failed: 2, streak: 2 });
  await writer.stop();
});

test("what the database could not take is written when it can", async () => {
  const ids = await makeChecks(3);
  let failures = 2;
  const { writer, lost } = setUp({ db: unreliable(() => failures-- > 0) });
  await Promise.all(ids.map((id) => writer.add({ results: [result(id)] })));
  expect(await stored(ids)).toBe(3);
  expect(await lost()).toBe(0);
  await writer.stop();
});

test("a result that the database refuses is lost alone, counted, and its claim ends", async () => {
  const ids = await makeChecks(3);
  const claim = await makeClaim("poison");
  const { writer, lost } = setUp();
  // A key that jsonb cannot hold.
  const poison = result(ids[1]!, 0, { details: { "nul \0": 1 } });
  await Promise.all([
    writer.add({ results: [result(ids[0]!)] }),
    writer.add({ results: [poison], claims: [claim] }),
    writer.add({ results: [result(ids[2]!)] }),
  ]);
  expect(await stored(ids)).toBe(2);
  expect(await lost()).toBe(1);
  expect(await claimedBy("poison")).toBeNull();
  await writer.stop();
});

test("while the database is away results are kept up to a bound, and more are counted as lost", async () => {
  const ids = await makeChecks(30);
  let isAway = true;
  const { writer, lost } = setUp({ db: unreliable(() => isAway), most: 20, batch: 5 });
  const writes = ids.map((id) => writer.add({ results: [result(id)] }));
  expect(await lost()).toBe(10);
  const room = vi.fn();
  void writer.room().then(room);
  isAway = false;
  await Promise.all(writes);
  await vi.waitFor(() => expect(room).toHaveBeenCalled());
  expect(await stored(ids)).toBe(20);
  await writer.stop();
});

test("stopping writes what is left; when the database is away it ends all the same and counts the loss", async () => {
  const ids = await makeChecks(4);
  const good = setUp({ flushMs: 3_600_000 });
  void good.writer.add({ results: [result(ids[0]!)] });
  await good.writer.stop();
  expect(await stored(ids)).toBe(1);
  const away = setUp({ db: unreliable(() => true), flushMs: 3_600_000 });
  for (const id of ids.slice(1)) void away.writer.add({ results: [result(id)] });
  await away.writer.stop();
  expect(await away.lost()).toBe(3);
});
