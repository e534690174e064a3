import type { TopologyMoments, TopologyStates } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { retentionJobs } from "../clean-up.ts";

const dayMs = 24 * 60 * 60_000;
const now = Date.now();
const ago = (days: number) => new Date(now - days * dayMs);

let app: TestApp;
const id = (name: string) =>
  `0190a0b4-0000-7000-8000-0000000000${Buffer.from(name).toString("hex").slice(0, 2)}`;

/** @param history days ago, and what it became */
async function add(
  name: string,
  history: [days: number, health: string | null][],
  parent?: string,
) {
  await app.db.run(sql`
    insert into components (id, external_id, name, parent_id, status) values (${id(name)}, ${name}, ${name}, ${parent ? id(parent) : null}, 'unknown')`);
  await app.db.run(sql`delete from component_states where component_id = ${id(name)}`);
  for (const [days, health] of history)
    await app.db.run(sql`
      insert into component_states (component_id, time, health, status) values (${id(name)}, ${ago(days)}, ${health}, ${health})`);
}

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await add("a", [
    [90, "warning"],
    [60, "unhealthy"],
    [40, "healthy"],
    [2, "unhealthy"],
    [1, "healthy"],
  ]);
  await add("b", [
    [3, "healthy"],
    [2, "healthy"],
    [1.5, "warning"],
  ]);
  await add(
    "c",
    [
      [20, "healthy"],
      [10, null],
    ],
    "a",
  );
  await add(
    "d",
    [
      [60, "healthy"],
      [50, null],
    ],
    "a",
  );
  await add(
    "e",
    [
      [60, "healthy"],
      [50, null],
    ],
    "d",
  );
});
afterAll(() => app.stop());

const at = async (days: number) => {
  const { json } = await app.admin.get(`/api/topology/states?at=${ago(days).toISOString()}`);
  return (json as TopologyStates).components
    .map((one) => `${Buffer.from(one.id.slice(-2), "hex").toString()} ${one.health}`)
    .toSorted((a, b) => a.localeCompare(b));
};

test.each([
  [29, ["a healthy"]],
  [15, ["a healthy", "c healthy"]],
  [10, ["a healthy"]],
  [2, ["a unhealthy", "b healthy"]],
  [1.7, ["a unhealthy", "b healthy"]],
  [0.1, ["a healthy", "b warning"]],
])("%d days ago", async (days, expected) => {
  expect(await at(days)).toEqual(expected);
});

test("turns are counted by steps of time", async () => {
  const ask = `from=${ago(5).toISOString()}&to=${ago(0).toISOString()}&steps=5`;
  const { json } = await app.admin.get(`/api/topology/states/turns?${ask}`);
  const { turns, stepMs, since } = json as TopologyMoments;
  expect([stepMs, since]).toEqual([dayMs, ago(90).toISOString()]);
  expect(turns).toEqual(
    [
      { at: ago(2).toISOString(), unhealthy: 1, warning: 1 },
      { at: ago(1).toISOString(), healthy: 1 },
    ].map((turn, index) => ({
      ...turn,
      at: new Date(now - 5 * dayMs + (3 + index) * dayMs).toISOString(),
    })),
  );
});

test.each([
  ["states?at=yesterday", "at"],
  ["states", "at"],
  [`states?at=${ago(-1).toISOString()}`, "at"],
  [`states?at=${ago(31).toISOString()}`, "at"],
  [`states/turns?from=${ago(1).toISOString()}&to=${ago(2).toISOString()}`, "from"],
  [`states/turns?from=${ago(2).toISOString()}&to=${ago(1).toISOString()}&steps=100000`, "steps"],
])("%s is refused", async (path, place) => {
  const { status, json } = await app.admin.get(`/api/topology/${path}`);
  expect([status, json.issues[0].path]).toEqual([400, place]);
});

const runJob = (name: string) => retentionJobs.find((job) => job.name === name)!.run(app.app.ctx);

test("what is older than 30 days goes, but for the state that holds when they begin", async () => {
  const before = await at(29);
  await app.db.run(
    sql`delete from component_states where component_id in (${id("d")}, ${id("e")})`,
  );
  expect(await runJob("CleanupComponentStates")).toMatchObject({ details: { states: 2 } });
  expect(await at(29)).toEqual(before);
});

test("components go a month after they were deleted, children first", async () => {
  await app.db.run(sql`update components set deleted_at = ${ago(50)} where name in ('d', 'e')`);
  await app.db.run(sql`update components set deleted_at = ${ago(10)} where name = 'c'`);
  expect(await runJob("CleanupSoftDeletedComponents")).toMatchObject({
    details: { components: 2 },
  });
  expect(await app.db.rows(sql`select name from components where deleted_at is not null`)).toEqual([
    { name: "c" },
  ]);
});

test("components of a topology that is gone go with it", async () => {
  const [row] = await app.db.rows<{ id: string }>(
    sql`insert into topologies (name, spec, deleted_at) values ('late', '{}', now()) returning id`,
  );
  await app.db.run(sql`update components set topology_id = ${row!.id} where name = 'b'`);
  expect(await runJob("CleanupComponents")).toMatchObject({ successes: 1 });
  // A little ahead of now, as a clock may be.
  expect(await at(-30 / 86_400)).toEqual(["a healthy"]);
});
