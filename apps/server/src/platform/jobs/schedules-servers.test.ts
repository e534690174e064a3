// Takes long: several processes share schedules by the clock, and are killed.
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setSchedules } from "./claims.ts";
import { createTestParts, type OwnedTestParts } from "./testing/database.ts";
import { eventually } from "./testing/eventually.ts";
import { startTestProcess, type TestProcess } from "./testing/process.ts";

let parts: OwnedTestParts;

beforeAll(async () => {
  parts = await createTestParts();
  await parts.owner.raw(
    "create table runs (key text, slot timestamptz, worker uuid, at timestamptz default clock_timestamp())",
  );
});
afterAll(() => parts.close());
beforeEach(() => parts.owner.raw("truncate schedules, workers, runs"));

interface Row {
  key: string;
  slot: Date | null;
}
const past = (ms: number) => new Date(Date.now() - ms);

describe("with several servers on one database", () => {
  const program = new URL("testing/ticking-server.ts", import.meta.url);
  const processes: TestProcess[] = [];
  const server = async (...args: string[]) => {
    const started = startTestProcess(program, parts.connection, ...args);
    processes.push(started);
    await eventually(() => expect(started.lines[0]).toMatch(/^ready /), 20_000);
    return started;
  };
  afterEach(() => Promise.all(processes.splice(0).map((started) => started.kill())));

  const setMany = (count: number, schedule: string) =>
    parts.db.transaction((tx) =>
      setSchedules(
        tx,
        ...Array.from({ length: count }, (_, n) => ({
          kind: "tick",
          key: `row ${n}`,
          schedule,
          firstAt: past(1),
        })),
      ),
    );
  const runs = async () =>
    (await parts.db.first<{ n: number }>(sql`select count(*) as n from runs`))?.n ?? 0;
  const doubles = () =>
    parts.db.rows(sql`select key, slot from runs group by key, slot having count(*) > 1`);

  test(
    "no slot runs twice, each takes its share, and killing one loses nothing",
    { timeout: 60_000 },
    async () => {
      const first = await server();
      await server();
      await setMany(200, "@every 1s");
      await eventually(async () => expect(await runs()).toBeGreaterThan(1_000), 30_000);
      expect(await parts.db.rows(sql`select distinct worker from runs`)).toHaveLength(2);
      await first.kill();
      const at = await parts.db.first<{ at: Date }>(sql`select clock_timestamp() as at`);
      // Every row has run again by the other's hand, also those that the first held when it died.
      await eventually(async () => {
        const rows = await parts.db.rows(
          sql`select distinct key from runs where at > ${at?.at}::timestamptz + interval '3 seconds'`,
        );
        expect(rows).toHaveLength(200);
      }, 30_000);
      expect(await doubles()).toEqual([]);
    },
  );

  test(
    "what a killed server held becomes due at once, with the slot that it was",
    { timeout: 60_000 },
    async () => {
      const holder = await server("hold");
      await setMany(50, "@every 1h");
      await eventually(async () => {
        expect(
          await parts.db.rows(sql`select key from schedules where claimed_by is not null`),
        ).toHaveLength(50);
      }, 10_000);
      const held = await parts.db.rows<Row>(sql`select key, slot from schedules order by key`);
      await server();
      await holder.kill();
      await eventually(async () => expect(await runs()).toBe(50), 20_000);
      const ran = await parts.db.rows<Row>(sql`select key, slot from runs order by key`);
      expect(ran.map((r) => [r.key, r.slot?.getTime()])).toEqual(
        held.map((r) => [r.key, r.slot?.getTime()]),
      );
      expect(await parts.db.rows(sql`select id from workers`)).toHaveLength(1);
    },
  );
});
