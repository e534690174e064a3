import type { Explanation } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";
import { rollUp } from "../roll-up/roll-up.ts";

let app: TestApp;
const ids = new Map<string, string>();
const idOf = (name: string) => {
  const known = ids.get(name);
  if (known) return known;
  const made = `0190a0b4-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
  ids.set(name, made);
  return made;
};
const add = (name: string, parent?: string, status?: string, more: Record<string, string> = {}) =>
  app.db.run(sql`
    insert into components (id, external_id, name, parent_id, status, given_status, description, health_expr)
    values (${idOf(name)}, ${name}, ${name}, ${parent ? idOf(parent) : null}, 'unknown', ${status ?? null},
            ${more.description ?? null}, ${more.healthExpr ?? null})`);
const addItem = (name: string, health: string) =>
  app.db.run(sql`
    insert into config_items (id, name, type, config_class, health, description)
    values (${idOf(name)}, ${name}, 'T', 'T', ${health}, ${`${name} is ${health}`})`);
const addChange = (item: string, minutesAgo: number, type: string) =>
  app.db.run(sql`
    insert into config_changes (config_id, change_type, summary, severity, created_at)
    values (${idOf(item)}, ${type}, ${`${type} of ${item}`}, 'info', now() - ${minutesAgo} * interval '1 minute')`);

/** shop(api(pod) web(mirror)): the check of the pod fails since ten minutes ago, and web says of itself that it is down. */
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await add("shop");
  await add("api", "shop");
  await add("pod", "api", "healthy");
  await add("web", "shop", "error", { description: "The certificate has expired." });
  await add("well", "shop", "healthy");
  await add("judge", undefined, "healthy", { healthExpr: '"warning"' });
  await add("broken", undefined, "healthy", { healthExpr: "1 +" });
  await add("nobody");
  await app.db.run(sql`
    with canary as (insert into canaries (name, namespace, spec) values ('c', 'default', '{}') returning id),
         made as (insert into checks (id, canary_id, type, name, status, last_transition_time)
                  select ${idOf("ping")}, id, 'tcp', 'ping', 'unhealthy', now() - interval '10 minutes' from canary returning id, canary_id),
         said as (insert into check_totals (check_id, error, message) select id, 'connection refused', '' from made)
    insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
    select ${idOf("pod")}, id, canary_id, 's' from made`);
  await addItem("deployment", "unhealthy");
  await addItem("cluster", "healthy");
  await addItem("stranger", "healthy");
  await app.db.run(sql`
    insert into config_relationships (config_id, related_id, relation) values (${idOf("cluster")}, ${idOf("deployment")}, 'hard')`);
  await app.db.run(sql`
    insert into config_component_relationships (component_id, config_id, selector_id) values (${idOf("pod")}, ${idOf("deployment")}, 'manual')`);
  await app.db.run(sql`
    insert into check_config_relationships (config_id, check_id, canary_id, selector_id)
    select ${idOf("deployment")}, id, canary_id, 's' from checks`);
  await app.db.run(sql`
    insert into config_analysis (config_id, analyzer, analysis_type, severity, summary, message)
    values (${idOf("deployment")}, 'z', 'security', 'Critical', 'CVE-1', 'old library'), (${idOf("deployment")}, 'y', 'cost', 'low', 'dear', '')`);
  await addChange("deployment", 12, "diff");
  await addChange("cluster", 15, "Scaled");
  await addChange("cluster", 200, "Old");
  await addChange("stranger", 12, "Other");
  await rollUp(app.app.ctx);
  await app.db.run(sql`delete from component_states where health is null`);
  // As if it had been so for ten minutes, and other before.
  await app.db.run(
    sql`update component_states set time = time - interval '10 minutes' where health is not null`,
  );
  await app.db.run(sql`
    insert into component_states (component_id, time, health, status)
    select id, now() - interval '1 hour', 'healthy', 'x' from components where name = 'shop'`);
});
afterAll(() => app.stop());

const explain = async (kind: string, name: string) =>
  (await app.admin.get(`/api/explain/${kind}/${idOf(name)}`)).json as Explanation;
/** `check ping at shop › api › pod` */
const told = ({ causes }: Explanation) =>
  causes.map(
    ({ kind, name, path, isReason }) =>
      `${isReason ? "" : "seen: "}${kind} ${name} at ${path.map((step) => step.name).join(" › ")}`,
  );

test("a component is explained down to what makes it so, and what changed before", async () => {
  const found = await explain("component", "shop");
  expect(found).toMatchObject({
    kind: "component",
    name: "shop",
    health: "unhealthy",
    isWell: false,
    since: expect.any(String),
    text: "shop is unhealthy: the check ping of shop › api › pod is unhealthy: connection refused (and one more)",
    hasMoreCauses: false,
    hasMoreChanges: false,
  });
  expect(told(found)).toEqual([
    "check ping at shop › api › pod",
    "source web at shop › web",
    "seen: item deployment at shop › api › pod",
    "seen: insight CVE-1 at shop › api › pod",
  ]);
  const [ping, web, item] = found.causes;
  expect(ping).toMatchObject({ id: idOf("ping"), type: "tcp", message: "connection refused" });
  expect(web).toMatchObject({ message: "The certificate has expired." });
  expect(item).toMatchObject({ health: "unhealthy", message: "deployment is unhealthy" });
  const ago = (Date.now() - Date.parse(found.since!)) / 60_000;
  expect(ago).toBeGreaterThan(9);
  expect(ago).toBeLessThan(15);
  expect(found.changes.map(({ summary, isLinked }) => [summary, isLinked])).toEqual([
    ["diff of deployment", true],
    ["Scaled of cluster", false],
  ]);
});

test.each([
  ["component", "well", "well is healthy: nothing says otherwise.", []],
  [
    "component",
    "judge",
    'judge is warning: the script of judge makes it so: "warning"',
    ["script judge at judge"],
  ],
  [
    "component",
    "broken",
    expect.stringMatching(/^broken is unknown: a script of broken failed: healthExpr: cel/),
    ["fault broken at broken"],
  ],
  ["component", "nobody", "nobody is unknown, and nothing says why.", []],
  [
    "check",
    "ping",
    "ping is unhealthy: the check ping of ping is unhealthy: connection refused",
    ["check ping at ping"],
  ],
  [
    "config",
    "deployment",
    "deployment is unhealthy: deployment is said to be so: deployment is unhealthy",
    ["source deployment at deployment", "seen: check ping at deployment"],
  ],
  ["config", "cluster", "cluster is healthy: nothing says otherwise.", []],
])("the %s %s", async (kind, name, text, causes) => {
  const found = await explain(kind, name);
  expect([found.text, told(found)]).toEqual([text, causes]);
});

test("a check is explained by what changed around its items", async () => {
  const { changes } = await explain("check", "ping");
  expect(changes.map(({ summary }) => summary)).toEqual([
    "diff of deployment",
    "Scaled of cluster",
  ]);
});

test.each(["component", "check", "config"])(
  "of a %s that is not there it says so",
  async (kind) => {
    const reply = await app.admin.get(`/api/explain/${kind}/0190a0b4-0000-7000-8000-00000000dead`);
    expect([reply.status, reply.json.error]).toEqual([
      404,
      expect.stringMatching(/^There is no such /),
    ]);
    expect((await app.admin.get(`/api/explain/${kind}/x`)).status).toBe(400);
  },
);

test("whoever may read topologies may, and nobody else", async () => {
  const viewer = await createPerson(app, "viewer");
  expect((await viewer.get(`/api/explain/component/${idOf("shop")}`)).status).toBe(200);
  expect((await app.nobody.get(`/api/explain/component/${idOf("shop")}`)).status).toBe(401);
});
