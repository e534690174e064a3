import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const id = "0190aaaa-0000-4000-8000-0000000000f1";
const push = (components: object[], more: object = {}) =>
  app.admin.post("/api/push/topology", { topology_id: id, name: "shop", components, ...more });
const runs = () =>
  app.db.rows<{ status: string; details: object }>(sql`
    select status, details from job_history
     where name = 'PushTopology' and resource_type = 'topology' and resource_id = ${id} order by created_at`);
const kept = async () =>
  (
    await app.db.rows<{ external_id: string }>(
      sql`select external_id from components where topology_id = ${id} and deleted_at is null order by external_id`,
    )
  ).map(({ external_id }) => external_id);

test("of two of one type and name in one place the first is kept, and who pushed and who looks are told of both", async () => {
  const reply = await push([
    { name: "api", type: "Pod", external_id: "a-1" },
    { name: "api", type: "Pod", external_id: "a-2", components: [{ name: "inner" }] },
    { name: "api", type: "Service", external_id: "a-3" },
  ]);
  const warnings = [
    'There are 2 components "api" of type Pod in "shop" (external ids a-1, a-2): the first of them is kept.',
  ];
  expect([reply.status, reply.json.warnings]).toEqual([200, warnings]);
  expect(await kept()).toEqual(["a-1", "a-3", "shop"]);
  const told = {
    status: "SUCCESS",
    details: { summary: { components: 3, added: 3, changed: 0, removed: 0 }, warnings },
  };
  expect(await runs()).toEqual([told]);
  // What was taken whole leaves nothing to tell.
  const whole = await push([{ name: "api", type: "Pod", external_id: "a-1" }]);
  expect([whole.status, whole.json.warnings]).toEqual([200, undefined]);
  expect(await runs()).toEqual([told]);
});

test("a warning names no more of an id than people read", async () => {
  const reply = await push([
    { name: "web", type: "Pod", external_id: "w-1" },
    { name: "web", type: "Pod", external_id: "x".repeat(100_000) },
  ]);
  expect(reply.status).toBe(200);
  expect(reply.json.warnings[0].length).toBeLessThan(1_000);
});

test("what is nested too deeply is refused, whatever it is", async () => {
  const before = await kept();
  // Its text by hand: nothing here writes what lies so deep.
  const text = `{"topology_id":"${id}","name":"shop","summary":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
  const reply = await app.admin.post("/api/push/topology", text, {
    "content-type": "application/json",
  });
  expect([reply.status, reply.json.error]).toEqual([
    400,
    "What was found is nested more than 500 levels deep.",
  ]);
  expect(await kept()).toEqual(before);
});
