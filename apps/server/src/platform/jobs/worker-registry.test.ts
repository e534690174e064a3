import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { eventually } from "./testing/eventually.ts";
import { createTestParts, type OwnedTestParts } from "./testing/database.ts";
import { connectTestParts } from "./testing/parts.ts";
import { createWorkerRegistry, type WorkerRegistry } from "./worker-registry.ts";

let parts: OwnedTestParts;
const started: WorkerRegistry[] = [];

beforeAll(async () => {
  parts = await createTestParts();
});
afterAll(() => parts.close());
afterEach(async () => {
  for (const workers of started.splice(0)) await workers.stop();
  await parts.owner.raw("truncate workers, schedules");
});

async function start(deadAfterMs = 400): Promise<WorkerRegistry> {
  const workers = createWorkerRegistry({ ...parts, beatMs: 50, deadAfterMs });
  started.push(workers);
  await workers.start();
  return workers;
}

const present = async () =>
  (await parts.db.rows<{ id: string }>(sql`select id from workers`)).map((row) => row.id);
const dead = "00000000-0000-4000-8000-000000000001";
const leaveDead = (seenAt = sql`now()`) =>
  parts.db.run(
    sql`insert into workers (id, hostname, pid, seen_at) values (${dead}, 'gone', 1, ${seenAt})`,
  );
const claimBy = (id: string) =>
  parts.db.run(sql`
    insert into schedules (kind, key, schedule, next_at, slot, claimed_by, claimed_at)
    values ('tick', 'a', '@every 1h', now() + interval '1 hour', now() - interval '1 minute', ${id}, now())`);
const claimant = async () =>
  (await parts.db.first<{ claimed_by: string | null }>(sql`select claimed_by from schedules`))
    ?.claimed_by;

test("a worker is there while it runs, and gone with its claims when it stops", async () => {
  const workers = await start();
  const other = await start();
  expect(await present()).toEqual(expect.arrayContaining([workers.id, other.id]));
  await claimBy(workers.id);
  await workers.stop();
  expect(await present()).toEqual([other.id]);
  expect(await claimant()).toBeNull();
});

test("a claim out of turn that its worker does not keep is void, whatever became of its release", async () => {
  const workers = await start();
  const done = workers.keep({ kind: "tick", key: "kept" });
  for (const key of ["kept", "forgotten"])
    await parts.db.run(sql`
      insert into schedules (kind, key, schedule, next_at, claimed_by, claimed_at)
      values ('tick', ${key}, '@every 1h', now() + interval '1 hour', ${workers.id}, now() - interval '1 minute')`);
  const claimed = async () =>
    (
      await parts.db.rows<{ key: string }>(
        sql`select key from schedules where claimed_by is not null and next_at > now()`,
      )
    ).map(({ key }) => key);
  await eventually(async () => expect(await claimed()).toEqual(["kept"]));
  done();
  await eventually(async () => expect(await claimed()).toEqual([]));
});

test("a row that stays as it is goes, its claims become due with their slot, and the living stay", async () => {
  await leaveDead();
  await claimBy(dead);
  const [one, two] = [await start(), await start()];
  expect(await present()).toContain(dead);
  await eventually(async () =>
    expect((await present()).toSorted()).toEqual([one.id, two.id].toSorted()),
  );
  await eventually(async () => expect(await claimant()).toBeNull());
  expect(await parts.db.first(sql`select next_at < now() as due, slot from schedules`)).toEqual({
    due: true,
    slot: null,
  });
});

test("an old time alone does not make a worker dead", async () => {
  await leaveDead(sql`now() - interval '1 day'`);
  const watcher = await start(60_000);
  const before = await parts.db.first<{ seen_at: Date }>(
    sql`select seen_at from workers where id = ${watcher.id}`,
  );
  await eventually(async () => {
    const now = await parts.db.first<{ seen_at: Date }>(
      sql`select seen_at from workers where id = ${watcher.id}`,
    );
    expect(now?.seen_at.getTime()).toBeGreaterThan((before?.seen_at.getTime() ?? 0) + 200);
  });
  expect(await present()).toContain(dead);
});

test("a worker that was given up learns of it and is there again", async () => {
  const workers = await start();
  const lost = vi.fn();
  workers.onLost(lost);
  await parts.db.run(sql`delete from workers where id = ${workers.id}`);
  await eventually(() => expect(lost).toHaveBeenCalledOnce());
  expect(await present()).toEqual([workers.id]);
});

test("a server whose pool is busy is not dead", async () => {
  const busy = connectTestParts(parts.connection);
  const workers = createWorkerRegistry({ ...busy, beatMs: 50, deadAfterMs: 400 });
  await workers.start();
  const taken = await Promise.all(
    Array.from({ length: busy.db.pool.options.max }, () => busy.db.pool.connect()),
  );
  const seen = async () =>
    (
      await parts.db.first<{ seen_at: Date }>(
        sql`select seen_at from workers where id = ${workers.id}`,
      )
    )?.seen_at;
  const before = await seen();
  await eventually(async () =>
    expect((await seen())?.getTime()).toBeGreaterThan((before?.getTime() ?? 0) + 200),
  );
  for (const client of taken) client.release();
  await workers.stop();
  await busy.close();
});

test("a lost connection is made again", async () => {
  const workers = await start();
  const seen = async () =>
    (
      await parts.db.first<{ seen_at: Date }>(
        sql`select seen_at from workers where id = ${workers.id}`,
      )
    )?.seen_at;
  await parts.db.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query like '%insert into workers%'`);
  const before = await seen();
  await eventually(async () =>
    expect((await seen())?.getTime()).toBeGreaterThan((before?.getTime() ?? 0) + 100),
  );
  expect(await present()).toEqual([workers.id]);
});
