import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestParts, type OwnedTestParts } from "#platform/jobs/testing/database.ts";
import { cleanups } from "./clean-up.ts";
import { jobs } from "./index.ts";

let parts: OwnedTestParts;
beforeAll(async () => {
  parts = await createTestParts();
  await parts.db.raw(
    `insert into agents (id, name) values ('${LOCAL}', 'local'), ('${REMOTE}', 'remote') on conflict do nothing`,
  );
});
afterAll(() => parts.close());
afterEach(() => parts.owner.raw("truncate job_history, event_queue cascade"));

const LOCAL = "00000000-0000-0000-0000-000000000000";
const REMOTE = "10000000-0000-0000-0000-000000000000";

interface Run {
  name?: string;
  status?: string;
  ageHours?: number;
  agent?: string;
  type?: string;
  resource?: string;
}
const add = ({
  name = "Sync",
  status = "SUCCESS",
  ageHours = 0,
  agent = LOCAL,
  type,
  resource,
}: Run) =>
  parts.db.run(sql`
    insert into job_history (name, status, agent_id, resource_type, resource_id, created_at, time_start)
    values (${name}, ${status}, ${agent}, ${type ?? null}, ${resource ?? null},
            now() - ${ageHours} * interval '1 hour', now() - ${ageHours} * interval '1 hour')`);

async function run(name: string) {
  const job = cleanups.find((cleanup) => cleanup.name === name);
  if (!job) throw new Error(`There is no scheduled job ${name}.`);
  return job.run(parts.createCtx({ log: parts.log, signal: new AbortController().signal }));
}
test("of each kind of event it is told how many wait, how many failed, since when, and mostly why", async () => {
  await parts.db.run(sql`
    insert into event_queue (name, properties, error, attempts, created_at, last_attempt)
    select 'check.failed', jsonb_build_object('n', n), error, attempts, at::timestamptz, tried::timestamptz
      from (values (1, null, 0, '2026-01-01', null), (2, 'b', 1, '2026-01-02', '2026-01-05'),
                   (3, 'b', 2, '2026-01-03', '2026-01-06'), (4, 'a', 1, '2026-01-04', '2026-01-04'))
        as v (n, error, attempts, at, tried)`);
  const [summary, ...others] = await parts.db.rows(sql`
    select name, pending::int, failed::int, average_attempts::float8, first_failure, last_failure, most_common_error
      from event_queue_summary`);
  expect(others).toEqual([]);
  const {
    first_failure: first,
    last_failure: last,
    ...counts
  } = summary as Record<string, unknown>;
  expect(counts).toEqual({
    name: "check.failed",
    pending: 4,
    failed: 3,
    average_attempts: 1,
    most_common_error: "b",
  });
  // As the database's day has it, in whichever zone that is.
  const dayOf = (time: unknown) => Math.round((time as Date).getTime() / 86_400_000);
  expect([first, last].map(dayOf)).toEqual(
    ["2026-01-02", "2026-01-06"].map((at) => dayOf(new Date(at))),
  );
});

const history = () =>
  parts.db.rows<{ name: string; status: string }>(
    sql`select name, status from job_history order by name, created_at`,
  );

describe("cleaning up", () => {
  test("own history older than 30 days goes, an agent's stays", async () => {
    await add({ name: "old", ageHours: 31 * 24 });
    await add({ name: "young", ageHours: 29 * 24 });
    await add({ name: "theirs", ageHours: 31 * 24, agent: REMOTE });
    expect(await run("CleanupStaleJobHistory")).toMatchObject({ successes: 1, errors: [] });
    expect((await history()).map((row) => row.name)).toEqual(["theirs", "young"]);
  });

  test("of an agent's history three rows stay of each name, resource and status", async () => {
    for (let n = 0; n < 5; n++) await add({ agent: REMOTE, resource: "a", ageHours: n });
    await add({ agent: REMOTE, resource: "a", status: "FAILED" });
    await add({ agent: REMOTE, resource: "b" });
    for (let n = 0; n < 5; n++) await add({ name: "own", ageHours: n });
    expect(await run("CleanupStaleAgentJobHistory")).toMatchObject({ successes: 2, errors: [] });
    expect(
      await parts.db.first(
        sql`select max(created_at) filter (where resource_id = 'a') > now() - interval '1 minute' as newest from job_history`,
      ),
    ).toEqual({ newest: true });
  });

  test("what has been running for more than four hours is stale", async () => {
    await add({ name: "a", status: "RUNNING", ageHours: 5 });
    await add({ name: "b", status: "RUNNING", ageHours: 3 });
    await add({ name: "c", status: "FAILED", ageHours: 5 });
    await run("MarkStaleJobHistory");
    expect((await history()).map((row) => row.status)).toEqual(["STALE", "RUNNING", "FAILED"]);
  });

  test("events older than 30 days go", async () => {
    await parts.db.run(sql`
      insert into event_queue (name, properties, created_at) values ('a', '{"n": 1}', now() - interval '31 days'), ('a', '{"n": 2}', now())`);
    expect(await run("Cleanup Event Queue")).toMatchObject({ successes: 1, errors: [] });
    expect(await parts.db.rows(sql`select properties from event_queue`)).toEqual([
      { properties: { n: 2 } },
    ]);
  });
});

describe("the read models", () => {
  test("a row of the history names its canary and its agent", async () => {
    const canary = await parts.db.first<{ id: string }>(
      sql`insert into canaries (name, namespace, spec) values ('web', 'default', '{}') returning id`,
    );
    await add({ name: "a", type: "canary", resource: canary?.id ?? "" });
    await add({ name: "b", type: "team", resource: "t-1", agent: REMOTE });
    await add({ name: "c", agent: "20000000-0000-0000-0000-000000000000" });
    expect(
      await parts.db.rows(sql`select name, resource_name, agent from job_histories order by name`),
    ).toEqual([
      { name: "a", resource_name: "web", agent: { id: LOCAL, name: "local" } },
      { name: "b", resource_name: "t-1", agent: { id: REMOTE, name: "remote" } },
      { name: "c", resource_name: null, agent: { id: null, name: null } },
    ]);
  });

  test("names are there once, and of each resource the latest row", async () => {
    await add({ name: "a", resource: "1", ageHours: 2, status: "FAILED" });
    await add({ name: "a", resource: "1", ageHours: 1 });
    await add({ name: "b", resource: "2" });
    expect(await parts.db.rows(sql`select name from job_history_names order by name`)).toEqual([
      { name: "a" },
      { name: "b" },
    ]);
    expect(
      await parts.db.rows(
        sql`select resource_id, status from job_history_latest_status order by resource_id`,
      ),
    ).toEqual([
      { resource_id: "1", status: "SUCCESS" },
      { resource_id: "2", status: "SUCCESS" },
    ]);
  });

  test("every declared table is there", async () => {
    for (const { name } of jobs.tables ?? []) {
      expect(
        await parts.db.first(sql`select to_regclass(${name}) is not null as found`),
        name,
      ).toEqual({ found: true });
    }
  });
});
