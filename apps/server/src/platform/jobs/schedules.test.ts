// Takes long: slots come by the clock, and claims run out.
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Claim, claimNow, makeDue, removeSchedules, setSchedules } from "./claims.ts";
import { createScheduler, type Scheduler, type ScheduleKind } from "./schedules.ts";
import { createTestParts, type OwnedTestParts } from "./testing/database.ts";
import { connectTestParts, type TestParts } from "./testing/parts.ts";
import { eventually } from "./testing/eventually.ts";
import { createWorkerRegistry, type WorkerRegistry } from "./worker-registry.ts";

let parts: OwnedTestParts;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  parts = await createTestParts();
});
afterAll(() => parts.close());
beforeEach(() => parts.owner.raw("truncate schedules, workers"));
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Started {
  scheduler: Scheduler;
  workers: WorkerRegistry;
  claims: Claim[];
}

async function start(kind: Partial<ScheduleKind> = {}, on: TestParts = parts): Promise<Started> {
  const claims: Claim[] = [];
  const workers = createWorkerRegistry({ ...on, beatMs: 100, deadAfterMs: 1_000 });
  const scheduler = createScheduler({
    ...on,
    workers,
    stopGraceMs: 100,
    kinds: [
      {
        kind: "tick",
        concurrency: 100,
        ...kind,
        run: async (batch, release, now) => {
          claims.push(...batch);
          await kind.run?.(batch, release, now);
        },
      },
    ],
  });
  await workers.start();
  await scheduler.start();
  stops.push(async () => {
    await scheduler.stop();
    await workers.stop();
  });
  return { scheduler, workers, claims };
}

const set = (key: string, schedule: string, more: { firstAt?: Date; timeZone?: string } = {}) =>
  parts.db.transaction((tx) => setSchedules(tx, { kind: "tick", key, schedule, ...more }));

interface Row {
  key: string;
  next_at: Date | null;
  slot: Date | null;
  claimed_by: string | null;
}
const row = (key: string) => parts.db.first<Row>(sql`select * from schedules where key = ${key}`);

const past = (ms: number) => new Date(Date.now() - ms);
/** Never ends by itself, as a stuck run does; ends when it is told to. */
const untilAborted = (claims: Claim[]) =>
  new Promise<void>((resolve) => claims[0]?.signal.addEventListener("abort", () => resolve()));

test("slots of a kind with a lead are claimed before they come, each once, and the row moves on to the one after", async () => {
  await set("a", "@every 1h", { firstAt: new Date(Date.now() + 20_000) });
  const soon = (await row("a"))!.next_at!;
  const { scheduler, claims } = await start({
    leadMs: 30_000,
    run: (batch) => untilAborted(batch),
  });
  await eventually(() => expect(claims).toHaveLength(1));
  expect(claims[0]).toMatchObject({ slot: soon });
  expect(claims[0]!.claimedAt < soon).toBe(true);
  expect(claims[0]!.nextAt! > soon).toBe(true);
  expect(await row("a")).toMatchObject({ slot: soon, next_at: claims[0]!.nextAt });
  // A second server, whose first look corrects what lies too far ahead, leaves the row as it is.
  const other = await start({ leadMs: 30_000 });
  await set("b", "@every 1h", { firstAt: past(1_000) });
  await eventually(() => expect(other.claims.length + claims.length).toBe(2));
  expect(await row("a")).toMatchObject({ slot: soon, next_at: claims[0]!.nextAt });
  await scheduler.stop();
  // Given back, it is the others' at its time.
  await eventually(() => expect(other.claims.some(({ key }) => key === "a")).toBe(true));
});

test("the longer lead of a few is given up when one claim takes many", async () => {
  const setAll = (keys: string[], firstAt: Date) =>
    parts.db.transaction((tx) =>
      setSchedules(
        tx,
        ...keys.map((key) => ({ kind: "tick", key, schedule: "@every 1h", firstAt })),
      ),
    );
  const soon = () => new Date(Date.now() + 20_000);
  await setAll(["a", "b", "c"], soon());
  const { claims } = await start({
    concurrency: 8,
    leadMs: 0,
    leadOfFewMs: 30_000,
    run: (batch) => untilAborted(batch),
  });
  await eventually(() => expect(claims.map(({ key }) => key).toSorted()).toEqual(["a", "b", "c"]));
  await setAll(["ahead"], soon());
  await setAll(["d", "e"], past(1_000));
  await eventually(() => expect(claims).toHaveLength(5));
  expect(await row("ahead")).toMatchObject({ claimed_by: null });
});

test("a run knows the database's time, however long its claim took", async () => {
  const databaseTime = async () =>
    (await parts.db.first<{ at: Date }>(sql`select clock_timestamp() as at`))!.at;
  const commitMs = 1_000;
  const slowToCommit: TestParts["db"] = {
    ...parts.db,
    transaction: async (work, options) => {
      const result = await parts.db.transaction(work, options);
      await parts.db.run(sql`select pg_sleep(${commitMs / 1000})`);
      return result;
    },
  };
  const lateMs: number[] = [];
  await set("a", "@every 1h", { firstAt: past(1) });
  await start(
    {
      run: async (_batch, _release, now) => {
        const before = await databaseTime();
        lateMs.push(before.getTime() - now().getTime());
      },
    },
    { ...parts, db: slowToCommit },
  );
  await eventually(() => expect(lateMs).toHaveLength(1));
  expect(lateMs[0]).toBeLessThan(commitMs / 2);
});

test("what is done and only waits to be written leaves room for others", async () => {
  const { scheduler, claims } = await start({
    concurrency: 1,
    run: (batch) => untilAborted(batch),
  });
  await set("a", "@every 1h", { firstAt: past(2_000) });
  await eventually(() => expect(claims).toHaveLength(1));
  await set("b", "@every 1h", { firstAt: past(1_000) });
  scheduler.done(claims[0]!);
  await eventually(() => expect(claims.map(({ key }) => key)).toEqual(["a", "b"]));
  expect(await row("a")).toMatchObject({ slot: claims[0]!.slot });
});

test("what is due at the start runs once, and what was missed in between is a gap", async () => {
  const missed = past(3_600_000);
  await set("a", "@every 10m", { firstAt: missed });
  const { claims } = await start();
  await eventually(async () =>
    expect(await row("a")).toMatchObject({ claimed_by: null, slot: null }),
  );
  await eventually(() => expect(claims).toHaveLength(1));
  expect(claims[0]).toMatchObject({ key: "a", slot: missed });
  expect((await row("a"))?.next_at?.getTime()).toBeGreaterThan(Date.now());
});

test("a row that becomes due wakes a sleeping worker, and comes with its transaction or not at all", async () => {
  const { claims } = await start();
  await expect(
    parts.db.transaction(async (tx) => {
      await setSchedules(tx, {
        kind: "tick",
        key: "undone",
        schedule: "@every 1h",
        firstAt: past(1),
      });
      throw new Error("undone");
    }),
  ).rejects.toThrow("undone");
  await set("a", "@every 1h", { firstAt: past(1) });
  await eventually(() => expect(claims.map((claim) => claim.key)).toEqual(["a"]));
});

test("a schedule that does not parse is refused, with what is wrong about it", async () => {
  await expect(set("a", "every now and then")).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("is not a schedule") as string,
  });
  expect(await row("a")).toBeUndefined();
});

test("saving the same schedule again does not move its slot; another schedule does", async () => {
  await set("a", "@every 1h");
  const before = (await row("a"))?.next_at;
  await set("a", "@every 1h", { firstAt: past(1) });
  expect((await row("a"))?.next_at).toEqual(before);
  await set("a", "@never");
  expect((await row("a"))?.next_at).toBeNull();
});

test("removing a row ends its slots, also while it runs", async () => {
  const open = Promise.withResolvers<void>();
  const { claims } = await start({ run: () => open.promise });
  await set("a", "@every 1s", { firstAt: past(1) });
  await eventually(() => expect(claims).toHaveLength(1));
  await removeSchedules(parts.db, "tick", "a");
  open.resolve();
  await set("b", "@every 1h", { firstAt: past(1) });
  await eventually(() => expect(claims.map((claim) => claim.key)).toEqual(["a", "b"]));
});

test("a row does not run twice at once: what passes meanwhile is skipped, and the slots go on", async () => {
  const open = Promise.withResolvers<void>();
  const skipped: { key: string; slot: Date }[] = [];
  const { claims } = await start({
    run: () => open.promise,
    skipped: async (slots) => void skipped.push(...slots),
  });
  await set("a", "@every 1s", { firstAt: past(1) });
  await eventually(() => expect(skipped.length).toBeGreaterThanOrEqual(2), 10_000);
  expect(claims).toHaveLength(1);
  open.resolve();
  await eventually(() => expect(claims.length).toBeGreaterThanOrEqual(2), 5_000);
  const second = claims[1] as Claim;
  expect(second.slot.getTime()).toBeGreaterThan(skipped.at(-1)?.slot.getTime() ?? 0);
  expect((second.slot.getTime() - (skipped[0]?.slot.getTime() ?? 0)) % 1_000).toBe(0);
});

test("one worker holds no more than its kind allows, and takes the next when one is let go", async () => {
  const open = new Map<string, () => void>();
  const { claims } = await start({
    concurrency: 2,
    run: async (batch, release) => {
      await Promise.all(
        batch.map(async (claim) => {
          await new Promise<void>((resolve) => open.set(claim.key, resolve));
          await release(claim);
        }),
      );
    },
  });
  await parts.db.transaction((tx) =>
    setSchedules(
      tx,
      ...["a", "b", "c"].map((key, n) => ({
        kind: "tick",
        key,
        schedule: "@every 1h",
        firstAt: past(1_000 - n),
      })),
    ),
  );
  await eventually(() => expect(claims.map((claim) => claim.key)).toEqual(["a", "b"]));
  expect((await row("c"))?.claimed_by).toBeNull();
  open.get("b")?.();
  await eventually(() => expect(claims.map((claim) => claim.key)).toEqual(["a", "b", "c"]));
  expect((await row("a"))?.claimed_by).not.toBeNull();
  for (const end of open.values()) end();
});

test("a run that throws lets its row go", async () => {
  const { claims } = await start({ run: () => Promise.reject(new Error("broken")) });
  await set("a", "@every 1h", { firstAt: past(1) });
  await eventually(() => expect(claims).toHaveLength(1));
  await eventually(async () =>
    expect(await row("a")).toMatchObject({ claimed_by: null, slot: null }),
  );
});

test("stopping waits a little, aborts, and gives back what did not end", async () => {
  const slot = past(5_000);
  const { scheduler, claims } = await start({ run: untilAborted });
  await set("a", "@every 1h", { firstAt: slot });
  await eventually(() => expect(claims).toHaveLength(1));
  await scheduler.stop();
  expect(claims[0]?.signal.aborted).toBe(true);
  expect(await row("a")).toMatchObject({ claimed_by: null, slot: null });
});

test("a row that was made due runs out of turn", async () => {
  await set("a", "@every 1h");
  const { claims } = await start();
  await makeDue(parts.db, "tick", "a");
  await eventually(() => expect(claims).toHaveLength(1));
  expect((await row("a"))?.next_at?.getTime()).toBeGreaterThan(Date.now());
});

test("a row can be taken out of turn once, keeps its slots, and is not given out meanwhile", async () => {
  const { workers, scheduler, claims } = await start();
  await set("a", "@every 1h");
  const before = (await row("a"))?.next_at;
  const claim = await claimNow(parts.db, {
    kind: "tick",
    key: "a",
    workerId: workers.id,
    signal: AbortSignal.abort(),
  });
  expect(claim).toBeDefined();
  expect(
    await claimNow(parts.db, {
      kind: "tick",
      key: "a",
      workerId: workers.id,
      signal: AbortSignal.abort(),
    }),
  ).toBeUndefined();
  await makeDue(parts.db, "tick", "a");
  await set("b", "@every 1h", { firstAt: past(1) });
  await eventually(() => expect(claims.map((c) => c.key)).toEqual(["b"]));
  expect(await parts.db.rows(scheduler.releaseSql([claim as Claim]))).toEqual([
    { kind: "tick", key: "a" },
  ]);
  await eventually(() => expect(claims.map((c) => c.key)).toEqual(["b", "a"]));
  expect(before).not.toBeNull();
});

test("a claim lets go of itself only, not of a later claim of the same row by the same worker", async () => {
  const { workers, scheduler } = await start();
  await set("a", "@every 1h");
  const signal = new AbortController().signal;
  const now = await claimNow(parts.db, { kind: "tick", key: "a", workerId: workers.id, signal });
  if (!now) throw new Error("The row was not given out.");
  const before = { ...now, claimedAt: new Date(now.claimedAt.getTime() - 1_000) };
  expect(await parts.db.rows(scheduler.releaseSql([before]))).toEqual([]);
  expect(await row("a")).toMatchObject({ claimed_by: workers.id });
  expect(await parts.db.rows(scheduler.releaseSql([now]))).toHaveLength(1);
});

test("a worker that was given up loses its claims and is told so; what it then releases is not its own", async () => {
  const { workers, scheduler, claims } = await start({ run: untilAborted });
  await set("a", "@every 1h", { firstAt: past(1) });
  await eventually(() => expect(claims).toHaveLength(1));
  const claim = claims[0] as Claim;
  // As another worker does that has seen it stand still.
  await parts.db.transaction(async (tx) => {
    await tx.run(sql`delete from workers where id = ${workers.id}`);
    await tx.run(
      sql`update schedules set claimed_by = null, claimed_at = null, slot = null, next_at = null`,
    );
  });
  await eventually(() => expect(claim.signal.aborted).toBe(true));
  expect(await parts.db.rows(scheduler.releaseSql([claim]))).toEqual([]);
});

describe("when the database's clock jumps", () => {
  let jumpy: TestParts;
  const jump = (by: string) => parts.db.raw(`update fake.shift set by = '${by}'`);

  beforeAll(async () => {
    await parts.owner.raw(`
      create schema fake;
      grant usage on schema fake to public;
      create table fake.shift (by interval not null);
      insert into fake.shift values ('0');
      grant select, update on fake.shift to public;
      create function fake.now() returns timestamptz language sql stable as
        $$ select pg_catalog.now() + by from fake.shift $$`);
    jumpy = connectTestParts({
      ...parts.connection,
      options: "-c search_path=fake,pg_catalog,public",
    });
  });
  afterAll(() => jumpy.close());
  beforeEach(() => jump("0"));

  test("forward by an hour, every row runs once", async () => {
    const { claims } = await start({}, jumpy);
    await jumpy.db.transaction((tx) =>
      setSchedules(tx, { kind: "tick", key: "a", schedule: "@every 10m" }),
    );
    await jump("1 hour");
    await eventually(() => expect(claims).toHaveLength(1));
    await eventually(async () => expect(await row("a")).toMatchObject({ claimed_by: null }));
    expect((await row("a"))?.next_at?.getTime()).toBeGreaterThan(Date.now() + 3_600_000);
    expect(claims).toHaveLength(1);
  });

  test("back by an hour, no row waits longer than its interval", async () => {
    const { claims } = await start({}, jumpy);
    await jumpy.db.transaction((tx) =>
      setSchedules(tx, { kind: "tick", key: "a", schedule: "@every 2s" }),
    );
    await eventually(() => expect(claims.length).toBeGreaterThanOrEqual(1), 5_000);
    const before = claims.length;
    await jump("-1 hour");
    await eventually(() => expect(claims.length).toBeGreaterThan(before + 1), 10_000);
  });

  test("back while no server ran, no row waits longer than its interval", async () => {
    await set("a", "@every 2s");
    await parts.db.raw("update schedules set next_at = next_at + interval '1 hour'");
    const { claims } = await start();
    await eventually(() => expect(claims.length).toBeGreaterThanOrEqual(1), 5_000);
  });

  test("forward by an hour, no worker is taken for dead", async () => {
    const alive = await start({ run: untilAborted }, jumpy);
    await jumpy.db.transaction((tx) =>
      setSchedules(tx, { kind: "tick", key: "a", schedule: "@every 3h", firstAt: past(1) }),
    );
    await eventually(() => expect(alive.claims).toHaveLength(1));
    const other = await start({ kind: "tock" }, jumpy);
    const seen = async () =>
      (
        await parts.db.first<{ seen_at: Date }>(
          sql`select seen_at from workers where id = ${other.workers.id}`,
        )
      )?.seen_at;
    const before = await seen();
    await jump("1 hour");
    // Both have beaten under the new time, so both have judged the other.
    await eventually(async () =>
      expect((await seen())?.getTime()).toBeGreaterThan((before?.getTime() ?? 0) + 3_600_000),
    );
    await eventually(async () =>
      expect(
        await parts.db.rows(
          sql`select id from workers where seen_at > now() + interval '59 minutes'`,
        ),
      ).toHaveLength(2),
    );
    expect(alive.claims[0]?.signal.aborted).toBe(false);
    expect(await row("a")).toMatchObject({ claimed_by: alive.workers.id });
  });
});
