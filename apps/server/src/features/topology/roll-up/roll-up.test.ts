import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { eventually } from "#platform/jobs/testing/eventually.ts";
import { followChanges, rollUpChanged } from "./follow-changes.ts";
import { rollUp } from "./roll-up.ts";

let app: TestApp;
beforeAll(async () => {
  // What is due is judged by the tests, not by a worker.
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.owner.raw(
    "truncate components, topologies, canaries, config_items, event_queue, job_history cascade",
  );
});

interface Wanted {
  parent?: string;
  status?: string;
  health?: string;
  statusExpr?: string;
  healthExpr?: string;
  topology?: string;
  properties?: unknown;
}
const ids = new Map<string, string>();
const idOf = (name: string) => {
  const known = ids.get(name);
  if (known) return known;
  const made = `0190a0b4-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
  ids.set(name, made);
  return made;
};
const add = (name: string, wanted: Wanted = {}) =>
  app.db.run(sql`
    insert into components (id, external_id, name, parent_id, status, given_status, given_health, status_expr, health_expr, topology_id, properties)
    values (${idOf(name)}, ${name}, ${name}, ${wanted.parent ? idOf(wanted.parent) : null}, 'unknown',
            ${wanted.status ?? null}, ${wanted.health ?? null}, ${wanted.statusExpr ?? null}, ${wanted.healthExpr ?? null},
            ${wanted.topology ?? null}, ${wanted.properties ? JSON.stringify(wanted.properties) : null}::jsonb)`);
const set = (name: string, status: string) =>
  app.db.run(sql`update components set given_status = ${status} where id = ${idOf(name)}`);
const of = async (name: string) =>
  app.db.first<Record<string, unknown>>(
    sql`select status, health, summary, roll_up_fault as fault from components where id = ${idOf(name)}`,
  );
const told = async () =>
  (
    await app.db.rows<{ text: string }>(sql`
      select e.name || ' ' || c.name as text from event_queue e join components c on c.id = (e.properties ->> 'id')::uuid
       order by e.created_at, 1`)
  ).map(({ text }) => text);

async function addCheck(component: string, name: string, status: string): Promise<string> {
  const row = await app.db.first<{ id: string }>(sql`
    with canary as (insert into canaries (name, namespace, spec) values (${name}, 'default', '{}') returning id),
         made as (insert into checks (canary_id, type, name, status) select id, 'tcp', ${name}, ${status} from canary returning id, canary_id),
         tie as (insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
                 select ${idOf(component)}, id, canary_id, 's' from made)
    select id from made`);
  return row!.id;
}

test("a check that fails turns what hangs above it, which is told, and back", async () => {
  await add("shop");
  await add("api", { parent: "shop" });
  await add("pod", { parent: "api", status: "healthy" });
  const check = await addCheck("pod", "ping", "healthy");
  await rollUp(app.app.ctx);
  expect(await of("shop")).toMatchObject({ status: "healthy", health: "healthy" });
  await app.db.run(sql`delete from event_queue`);
  expect(await rollUpChanged(app.app.ctx)).toBe(false);

  await app.db.run(sql`update checks set status = 'unhealthy' where id = ${check}`);
  expect(await rollUpChanged(app.app.ctx)).toBe(true);
  expect(await of("pod")).toEqual({
    status: "healthy",
    health: "unhealthy",
    summary: {
      healthy: 0,
      unhealthy: 1,
      warning: 0,
      info: 0,
      incidents: {},
      insights: {},
      checks: { unhealthy: 1 },
    },
    fault: null,
  });
  expect(await of("shop")).toMatchObject({
    status: "unhealthy",
    health: "unhealthy",
    summary: { unhealthy: 1, healthy: 0, checks: { unhealthy: 1 } },
  });
  const events = ["component.unhealthy api", "component.unhealthy pod", "component.unhealthy shop"];
  expect((await told()).filter((text) => text.startsWith("component"))).toEqual(events);
  const states = await app.db.rows(sql`
    select health from component_states where component_id = ${idOf("shop")} order by time`);
  expect(states.map((row) => (row as { health: string }).health)).toEqual([
    null,
    "healthy",
    "unhealthy",
  ]);
  expect(await app.db.rows(sql`select name, status from job_history`)).toEqual([
    { name: "ComponentStatusSummarySync", status: "SUCCESS" },
  ]);

  // Whatever marks what is overdue meanwhile leaves it so: it goes on to be run.
  await app.db.run(sql`
    insert into schedules (kind, key, schedule, next_at)
    select 'canary', canary_id::text, '@hourly', now() + interval '1 hour' from checks where id = ${check}`);
  await app.db.run(sql`update checks set result_due = now() - interval '1 s' where id = ${check}`);
  await rollUp(app.app.ctx);
  expect(await of("pod")).toMatchObject({ health: "healthy", summary: { checks: { unknown: 1 } } });
  await app.db.run(sql`update checks set deleted_at = now() where id = ${check}`);
  expect(await rollUpChanged(app.app.ctx)).toBe(true);
  expect(await of("shop")).toMatchObject({ health: "healthy", summary: { checks: {} } });
});

test("a first look tells what is unwell, and nothing of what is not", async () => {
  for (const status of ["healthy", "warning", "unhealthy", "unknown"])
    await add(`born ${status}`, { status });
  await rollUp(app.app.ctx);
  const ofComponents = async () => (await told()).filter((text) => text.startsWith("component"));
  expect((await ofComponents()).toSorted()).toEqual([
    "component.unhealthy born unhealthy",
    "component.warning born warning",
  ]);
  await set("born warning", "healthy");
  await rollUp(app.app.ctx);
  expect(await ofComponents()).toContain("component.healthy born warning");
});

test("a pass that is no longer wanted writes nothing", async () => {
  await add("shop", { status: "healthy" });
  const stopping = new AbortController();
  stopping.abort(new Error("The server stops."));
  await expect(rollUp(app.app.ctx.with({ signal: stopping.signal }))).rejects.toThrow(
    "The server stops.",
  );
  expect(await of("shop")).toMatchObject({ health: null });
});

test("open insights of linked items are counted, and turn nothing", async () => {
  await add("shop");
  await add("api", { parent: "shop", status: "healthy" });
  await app.db.run(sql`
    insert into config_items (id, name, type, config_class) values (${idOf("item")}, 'i', 'T', 'T')`);
  await app.db.run(sql`
    insert into config_component_relationships (component_id, config_id, selector_id)
    values (${idOf("api")}, ${idOf("item")}, 'manual')`);
  await rollUp(app.app.ctx);
  await app.db.run(sql`
    insert into config_analysis (config_id, analyzer, analysis_type, severity, status)
    values (${idOf("item")}, 'z', 'cost', 'Low', 'open'), (${idOf("item")}, 'y', 'cost', 'high', 'resolved')`);
  expect(await rollUpChanged(app.app.ctx)).toBe(true);
  expect(await of("shop")).toMatchObject({
    health: "healthy",
    summary: { insights: { cost: { low: 1 } } },
  });
  await app.db.run(sql`update config_analysis set last_observed = now()`);
  expect(await rollUpChanged(app.app.ctx)).toBe(false);
  await app.db.run(sql`update config_items set deleted_at = now()`);
  expect(await rollUpChanged(app.app.ctx)).toBe(true);
  expect(await of("shop")).toMatchObject({ summary: { insights: {} } });
});

test("scripts judge what they are for, and one that fails leaves its own component unknown", async () => {
  await add("shop");
  await add("cel", {
    parent: "shop",
    status: "healthy",
    statusExpr: 'summary.healthy > 0 ? "fine" : "bad"',
    healthExpr:
      'self.properties.exists(p, p.name == "load" && p.value > 5) ? "warning" : "healthy"',
    properties: [{ name: "load", value: 7 }],
  });
  await add("template", {
    parent: "shop",
    status: "warning",
    healthExpr: "{{ if gt .summary.warning 0 }}unhealthy{{ else }}healthy{{ end }}",
  });
  await add("broken", { parent: "shop", status: "healthy", statusExpr: "summary.healthy +" });
  await add("nonsense", { parent: "shop", status: "healthy", healthExpr: '"purple"' });
  await add("endless", {
    parent: "shop",
    status: "healthy",
    statusExpr:
      "[1,2,3,4,5,6,7,8,9].map(a,[1,2,3,4,5,6,7,8,9].map(b,[1,2,3,4,5,6,7,8,9].map(c,[1,2,3,4,5,6,7,8,9].map(d,[1,2,3,4,5,6,7,8,9].map(e,[1,2,3,4,5,6,7,8,9].map(f,[1,2,3,4,5,6,7,8,9].map(g,[1,2,3,4,5,6,7,8,9].map(h,a+b+c+d+e+f+g+h)))))))).size() > 0 ? 'a' : 'b'",
  });
  const { faults } = await rollUp(app.app.ctx);
  expect(await of("cel")).toMatchObject({ status: "fine", health: "warning", fault: null });
  expect(await of("template")).toMatchObject({ status: "warning", health: "unhealthy" });
  expect(await of("broken")).toMatchObject({
    status: "unknown",
    health: "unknown",
    fault: expect.stringMatching(/^statusExpr: cel:1:/),
  });
  expect(await of("nonsense")).toMatchObject({
    health: "unknown",
    fault:
      'healthExpr: it gave "purple", which is none of healthy, warning, unhealthy and unknown.',
  });
  expect(await of("endless")).toMatchObject({
    status: "unknown",
    fault: expect.stringMatching(/^statusExpr: cel: ?.*take/),
  });
  expect(await of("shop")).toMatchObject({ health: "unhealthy" });
  expect(faults.map((fault) => fault.replace(/:.*/s, "")).toSorted()).toEqual([
    "broken",
    "endless",
    "nonsense",
  ]);
  const shown = await app.admin.get(`/api/topology?id=${idOf("broken")}`);
  expect(shown.json.components[0].status_reason).toMatch(/^statusExpr: cel:1:/);
});

test("a component under itself over three levels is judged, shown and said", async () => {
  await add("a");
  await add("b", { parent: "a" });
  await add("c", { parent: "b", status: "unhealthy" });
  await app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id) values (${idOf("c")}, ${idOf("a")}, 's')`);
  expect(await rollUp(app.app.ctx)).toEqual({
    judged: 3,
    changed: 3,
    faults: ["a: It hangs on itself by way of c: that tie does not count."],
  });
  expect(await of("a")).toMatchObject({ health: "unhealthy" });
});

test("only what hangs together with a topology is judged when it is named", async () => {
  const topology = async (name: string) =>
    (await app.db.first<{ id: string }>(
      sql`insert into topologies (name, spec) values (${name}, '{}') returning id`,
    ))!.id;
  const [one, two] = [await topology("one"), await topology("two")];
  await add("one", { topology: one });
  await add("child", { parent: "one", topology: one, status: "healthy" });
  await add("over", { topology: two });
  await add("other", { topology: two, status: "healthy" });
  await app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id) values (${idOf("over")}, ${idOf("one")}, 's')`);
  expect(await rollUp(app.app.ctx, { topologyIds: [one] })).toMatchObject({
    judged: 3,
    changed: 3,
  });
  expect(await of("over")).toMatchObject({ health: "healthy" });
  expect(await of("other")).toMatchObject({ health: null });
  expect(await rollUpChanged(app.app.ctx)).toBe(true);
  expect(await of("other")).toMatchObject({ health: "healthy" });
});

test("many servers at once judge once, and the same", async () => {
  await add("shop");
  for (const n of [1, 2, 3]) await add(`pod${n}`, { parent: "shop", status: "healthy" });
  const passes = await Promise.all([1, 2, 3, 4].map(() => rollUp(app.app.ctx)));
  expect(passes.map(({ changed }) => changed).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 4]);
  await set("pod2", "error");
  await Promise.all([1, 2, 3, 4].map(() => rollUpChanged(app.app.ctx)));
  expect(await of("shop")).toMatchObject({
    status: "unhealthy",
    summary: { healthy: 2, unhealthy: 1 },
  });
});

test("what an agent has judged stays as it said", async () => {
  const agent = await app.db.first<{ id: string }>(
    sql`insert into agents (name) values ('far') returning id`,
  );
  await add("shop");
  await app.db.run(sql`
    insert into components (id, agent_id, external_id, name, status, health, parent_id, summary)
    values (${idOf("far")}, ${agent!.id}, 'far', 'far', 'Degraded', 'warning', ${idOf("shop")}, '{"warning":2}')`);
  expect(await rollUp(app.app.ctx)).toMatchObject({ judged: 2, changed: 1 });
  expect(await of("far")).toEqual({
    status: "Degraded",
    health: "warning",
    summary: { warning: 2 },
    fault: null,
  });
  expect(await of("shop")).toMatchObject({ health: "warning", summary: { warning: 2 } });
});

test("a server follows what changes by itself, until it stops", async () => {
  const worker = followChanges(app.app.ctx, 10);
  await add("shop", { status: "healthy" });
  await eventually(async () => expect(await of("shop")).toMatchObject({ health: "healthy" }));
  await set("shop", "warning");
  await eventually(async () => expect(await of("shop")).toMatchObject({ health: "warning" }));
  await worker.stop();
  await set("shop", "healthy");
  expect(await of("shop")).toMatchObject({ health: "warning" });
});
