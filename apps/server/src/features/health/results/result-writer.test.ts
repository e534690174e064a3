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
    togetherMs: 5,
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

test("after a transaction what comes is gathered, but enough for one does not wait", async () => {
  const ids = await makeChecks(4);
  let count = 0;
  const counting: Database = {
    ...database.db,
    transaction: (work, options) => {
      count += 1;
      return database.db.transaction(work, options);
    },
  };
  const { writer } = setUp({ db: counting, batch: 3, togetherMs: 3_600_000 });
  await writer.add({ results: [result(ids[0]!)] });
  expect(count).toBe(1);
  const gathered = [writer.add({ results: [result(ids[1]!)] })];
  await stored(ids);
  gathered.push(writer.add({ results: [result(ids[2]!)] }));
  await stored(ids);
  expect(count).toBe(1);
  gathered.push(writer.add({ results: [result(ids[3]!)] }));
  await Promise.all(gathered);
  expect([count, await stored(ids)]).toEqual([2, 4]);
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

const verdictsOf = (ids: readonly string[]) =>
  database.db.rows<{ check_id: string; status: boolean | null; error: string | null }>(sql`
    select check_id, status, error from check_statuses where check_id = any(${[...ids]}::uuid[])`);
/** What `checkResult` would never let through. */
const broken: Partial<CheckResult> = { details: '{"half' };

test("a result that cannot be stored leaves its check unknown and says why; those beside it are stored, its claim ends", async () => {
  const ids = await makeChecks(500);
  const claim = await makeClaim("poison");
  const { writer, lost, released } = setUp();
  const began = performance.now();
  const writes = ids.map((id, index) =>
    writer.add({
      results: [result(id, 0, index === 321 ? broken : {})],
      claims: index === 321 ? [claim] : [],
    }),
  );
  await Promise.all(writes);
  const tookMs = performance.now() - began;
  const rows = await verdictsOf(ids);
  expect(rows).toHaveLength(500);
  const unkept = rows.filter((row) => row.status !== true);
  expect(unkept).toEqual([
    {
      check_id: ids[321],
      status: null,
      error: expect.stringMatching(/^The result could not be stored, because: .*json/),
    },
  ]);
  const check = await database.db.first(sql`
    select c.status, t.passed, t.failed, t.untried
      from checks c join check_totals t on t.check_id = c.id where c.id = ${ids[321]!}`);
  expect(check).toEqual({ status: "unknown", passed: 0, failed: 0, untried: unkept[0]!.error });
  expect(await lost()).toBe(0);
  expect([released, await claimedBy("poison")]).toEqual([["poison"], null]);
  expect(tookMs).toBeLessThan(10_000);
  await writer.stop();
});

test("an error of ours in one result ends that result, never the batch", async () => {
  const ids = await makeChecks(20);
  const { writer, lost } = setUp();
  const explosive = Object.defineProperty(result(ids[7]!), "severity", {
    enumerable: true,
    get() {
      throw new RangeError("Maximum call stack size exceeded");
    },
  });
  await Promise.all(
    ids.map((id, index) => writer.add({ results: [index === 7 ? explosive : result(id)] })),
  );
  const rows = await verdictsOf(ids);
  expect(rows.filter((row) => row.status)).toHaveLength(19);
  expect(rows.find((row) => row.check_id === ids[7])?.error).toContain("Maximum call stack size");
  expect(await lost()).toBe(0);
  await writer.stop();
});

test("what can in no way be stored is lost alone, counted, and its claim ends", async () => {
  const ids = await makeChecks(3);
  await database.owner.raw(`
    create function refuse_result() returns trigger language plpgsql as $$
    begin raise exception 'not this one'; end $$;
    create trigger refuse_result before insert on check_statuses for each row
      when (new.check_id = '${ids[1]}') execute function refuse_result()`);
  const claim = await makeClaim("impossible");
  const { writer, lost } = setUp();
  await Promise.all([
    writer.add({ results: [result(ids[0]!)] }),
    writer.add({ results: [result(ids[1]!)], claims: [claim] }),
    writer.add({ results: [result(ids[2]!)] }),
  ]);
  await database.owner.raw("drop trigger refuse_result on check_statuses");
  expect(await stored(ids)).toBe(2);
  expect(await lost()).toBe(1);
  expect(await claimedBy("impossible")).toBeNull();
  await writer.stop();
});

test("when nothing at all is taken every result is lost and counted, and the writer goes on", async () => {
  const ids = await makeChecks(40);
  let isBroken = true;
  const refusing: Database = {
    ...database.db,
    transaction: (work, options) =>
      isBroken
        ? Promise.reject(Object.assign(new Error("no such column"), { code: "42703" }))
        : database.db.transaction(work, options),
  };
  const claim = await makeClaim("refused");
  const { writer, lost, released } = setUp({ db: refusing });
  await writer.add({ results: ids.map((id) => result(id)), claims: [claim] });
  expect([await lost(), released]).toEqual([40, ["refused"]]);
  isBroken = false;
  await writer.add({ results: [result(ids[0]!, 1)] });
  expect(await stored(ids)).toBe(1);
  await writer.stop();
});

test("too many details at once are left out; the verdicts stay", async () => {
  const ids = await makeChecks(3);
  const { writer } = setUp({ mostDetails: 300 });
  const details = JSON.stringify({ text: "x".repeat(200) });
  await Promise.all(ids.map((id) => writer.add({ results: [result(id, 0, { details })] })));
  const rows = await database.db.rows<{ kept: boolean }>(sql`
    select details ? 'text' as kept from check_statuses where check_id = any(${ids}::uuid[])`);
  expect(rows.filter((row) => row.kept)).toHaveLength(1);
  await writer.stop();
});

test("how long the oldest has waited is known while the database is away", async () => {
  const [id] = await makeChecks(1);
  let isAway = true;
  const { writer } = setUp({ db: unreliable(() => isAway) });
  expect(writer.oldestMs()).toBe(0);
  const write = writer.add({ results: [result(id!)] });
  await vi.waitFor(() => expect(writer.oldestMs()).toBeGreaterThan(100));
  isAway = false;
  await write;
  await vi.waitFor(() => expect(writer.oldestMs()).toBe(0));
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
  const good = setUp({ togetherMs: 3_600_000 });
  void good.writer.add({ results: [result(ids[0]!)] });
  await good.writer.stop();
  expect(await stored(ids)).toBe(1);
  const away = setUp({ db: unreliable(() => true), togetherMs: 3_600_000 });
  for (const id of ids.slice(1)) void away.writer.add({ results: [result(id)] });
  await away.writer.stop();
  expect(await away.lost()).toBe(3);
});
