import type { TopologyAnswer, TopologyComponent } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";

let app: TestApp;
const ids = new Map<string, string>();
const idOf = (name: string) => {
  const known = ids.get(name);
  if (known) return known;
  const made = `0190a0b4-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`;
  ids.set(name, made);
  return made;
};

interface Wanted {
  parent?: string;
  status?: string;
  health?: string;
  type?: string;
  labels?: Record<string, string>;
  hidden?: boolean;
  position?: number;
  owner?: string;
  properties?: unknown;
  logs?: unknown;
}
const add = (name: string, wanted: Wanted = {}) =>
  app.db.run(sql`
    insert into components (id, external_id, name, parent_id, status, health, type, labels, hidden, position, owner, properties, log_selectors)
    values (${idOf(name)}, ${name}, ${name}, ${wanted.parent ? idOf(wanted.parent) : null}, ${wanted.status ?? "healthy"},
            ${wanted.health ?? wanted.status ?? "healthy"}, ${wanted.type ?? null},
            ${wanted.labels ? JSON.stringify(wanted.labels) : null}::jsonb, ${wanted.hidden ?? false}, ${wanted.position ?? 0},
            ${wanted.owner ?? null}, ${wanted.properties ? JSON.stringify(wanted.properties) : null}::jsonb,
            ${wanted.logs ? JSON.stringify(wanted.logs) : null}::jsonb)`);
const relate = (above: string, below: string, isGone = false) =>
  app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id, deleted_at)
    values (${idOf(above)}, ${idOf(below)}, 'test', ${isGone ? new Date() : null})`);

const ask = async (query = "") => {
  const reply = await app.admin.get(`/api/topology?${query}`);
  return { ...reply, answer: reply.json as TopologyAnswer };
};
/** `shop(api(pod) web)` */
const drawn = (components: readonly TopologyComponent[] = []): string =>
  components
    .map(({ name, components: below }) => (below ? `${name}(${drawn(below)})` : name))
    .join(" ");
const draw = async (query = "") => drawn((await ask(query)).answer.components);

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await add("shop", { type: "System", position: 1, owner: "ann" });
  await add("bank", { type: "System", position: 0, status: "unhealthy", labels: { env: "prod" } });
  await add("api", {
    parent: "shop",
    type: "App",
    status: "warning",
    labels: { env: "prod", app: "api" },
    properties: [
      { name: "version", text: "1.10" },
      { name: "cpu", value: 12, unit: "millicores" },
    ],
    logs: [{ name: "pods", type: "k8s", labels: { app: "api" } }],
  });
  await add("web", { parent: "shop", type: "App", properties: [{ name: "cpu", value: 3 }] });
  await add("pod", {
    parent: "api",
    type: "Pod",
    labels: { app: "api" },
    properties: [{ name: "x", text: "y" }],
  });
  await add("disk", { parent: "pod", type: "Disk" });
  await add("secret", { parent: "bank", type: "App", hidden: true });
  await add("under", { parent: "secret", type: "Pod" });
  await relate("bank", "pod");
  await relate("web", "pod", true);
  await app.db
    .run(sql`with team as (insert into teams (name, created_by) select 'Payments', id from people limit 1 returning id)
    insert into team_components (team_id, component_id) select id, ${idOf("bank")} from team`);
});
afterAll(() => app.stop());

test.each([
  ["", "bank(pod(disk) secret(under)) shop(api(pod) web)"],
  ["depth=1", "bank shop"],
  ["depth=9", "bank(pod(disk) secret(under)) shop(api(pod(disk)) web)"],
  ["hidden=false", "bank(pod(disk)) shop(api(pod) web)"],
  ["sortBy=name&sortOrder=desc", "shop(web api(pod)) bank(secret(under) pod(disk))"],
  ["sortBy=status&sortOrder=desc", "bank(pod(disk) secret(under)) shop(api(pod) web)"],
  ["sortBy=field:cpu&id=ID(shop)", "shop(web api(pod))"],
  ["sortBy=field:cpu&sortOrder=desc&id=ID(shop)", "shop(api(pod) web)"],
  ["status=unhealthy", "bank"],
  ["status=unhealthy,healthy&depth=2", "bank(pod secret) shop(web)"],
  ["status=!unhealthy&depth=2", "shop(api web)"],
  ["status=All&depth=1", "bank shop"],
  ["status=*&depth=1", "bank shop"],
  ["labels=env%3Dprod", "bank"],
  ["labels=env%3Dprod,app%3Dapi", ""],
  ["id=ID(shop)&labels=app%3Dapi", "shop(api(pod))"],
  ["team=Payments&depth=2", "bank"],
  ["team=!Payments&depth=2", "shop(api web)"],
  ["owner=ann&depth=1", "shop"],
  ["agent_id=00000000-0000-0000-0000-000000000000&depth=1", "bank shop"],
  ["agent_id=00000000-0000-0000-0000-000000000001", ""],
  ["type=App&flatten=true", "api secret web"],
  ["type=App&flatten=true&hidden=false", "api web"],
  ["type=Pod&flatten=true&hidden=false", "pod"],
  ["type=App,Pod,!Disk", "api(pod) secret(under) web"],
  ["type=D*&flatten=true", "disk"],
  ["flatten=true", "api bank disk pod secret under web shop"],
  ["id=ID(api)", "api(pod(disk))"],
  ["id=ID(api)&flatten=true", "api disk pod"],
  ["id=ID(shop)&type=Disk&flatten=true", "disk shop"],
  ["id=ID(shop)&type=Disk&flatten=true&hidden=false", "disk shop"],
  ["id=ID(bank)&type=Pod&flatten=true&hidden=false", "bank pod"],
  ["id=ID(pod)", "pod(disk)"],
  ["id=ID(pod),ID(web)", "pod(disk) web"],
  ["id=0190a0b4-0000-7000-8000-00000000dead", ""],
  ["noCache=true&no-cache=1&start=now&depth=1", "bank shop"],
])("%s", async (query, expected) => {
  expect(await draw(query.replaceAll(/ID\((\w+)\)/g, (_, name: string) => idOf(name)))).toBe(
    expected,
  );
});

test("in brief every component is told with what all are told with, and its ties", async () => {
  const { answer } = await ask("flatten=true&brief=true");
  const api = answer.components.find(({ name }) => name === "api")!;
  expect(api).toMatchObject({ id: idOf("api"), parents: [idOf("shop")], children: [idOf("pod")] });
  const whole = (await ask("flatten=true")).answer.components.find(({ name }) => name === "api")!;
  expect([whole.created_at === undefined, api.created_at]).toEqual([false, undefined]);
  expect((await ask("brief=true&depth=1")).answer.components[0]).not.toHaveProperty("created_at");
});

test("what there is to filter by is told of everything", async () => {
  const { answer } = await ask("status=unhealthy&depth=1");
  expect({ ...answer, components: undefined }).toEqual({
    components: undefined,
    healthStatuses: ["healthy", "unhealthy", "warning"],
    teams: ["Payments"],
    types: ["App", "Disk", "Pod", "System"],
    tags: { app: ["api"], env: ["prod"] },
  });
});

test("a component is told whole at the top, and shortly where it is deep", async () => {
  const canary = await app.db.first<{ id: string }>(
    sql`insert into canaries (name, namespace, spec) values ('c', 'default', '{}') returning id`,
  );
  // Whatever marks what is overdue meanwhile leaves it so: it goes on to be run.
  await app.db.run(sql`
    insert into schedules (kind, key, schedule, next_at) values ('canary', ${canary!.id}, '@hourly', now() + interval '1 hour')`);
  const check = async (name: string, status: string, isDue = false) => {
    const row = await app.db.first<{ id: string }>(sql`
      insert into checks (canary_id, type, name, status, result_due)
      values (${canary!.id}, 'tcp', ${name}, ${status}, ${isDue ? new Date(0) : null}) returning id`);
    for (const selector of ["one", "two"])
      await app.db.run(sql`
        insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
        values (${idOf("api")}, ${row!.id}, ${canary!.id}, ${selector})`);
  };
  await check("a", "healthy");
  await check("b", "unhealthy");
  await check("late", "healthy", true);
  await app.db.run(sql`
    with item as (insert into config_items (id, name, type, config_class) values (${idOf("item")}, 'i', 'T', 'T') returning id),
         linked as (insert into config_component_relationships (component_id, config_id, selector_id)
                    select ${idOf("api")}, id, 'manual' from item)
    insert into config_analysis (config_id, analyzer, analysis_type, severity, status)
    select item.id, 'z', 'security', s, st from item, (values ('High', 'open'), ('high', 'open'), ('low', 'resolved')) v (s, st)`);
  const { answer } = await ask(`id=${idOf("shop")}`);
  const api = answer.components[0]!.components![0]!;
  expect(api).toEqual({
    id: idOf("api"),
    agent_id: "00000000-0000-0000-0000-000000000000",
    external_id: "api",
    parent_id: idOf("shop"),
    name: "api",
    type: "App",
    status: "warning",
    health: "warning",
    labels: { env: "prod", app: "api" },
    is_leaf: false,
    order: 0,
    properties: [
      { name: "version", text: "1.10" },
      { name: "cpu", value: 12, unit: "millicores" },
    ],
    logs: [{ name: "pods", type: "k8s", labels: { app: "api" } }],
    created_at: expect.any(String),
    updated_at: expect.any(String),
    checks: { healthy: 1, unhealthy: 1, unknown: 1 },
    analysis: { security: { high: 2 } },
    children: [idOf("pod")],
    parents: [idOf("shop")],
    components: [
      {
        id: idOf("pod"),
        agent_id: "00000000-0000-0000-0000-000000000000",
        external_id: "pod",
        parent_id: idOf("api"),
        name: "pod",
        type: "Pod",
        status: "healthy",
        health: "healthy",
        labels: { app: "api" },
        is_leaf: false,
        order: 0,
        children: [idOf("disk")],
        parents: [idOf("bank"), idOf("api")].toSorted(),
      },
    ],
  });
  const row = (await app.admin.get(`/api/db/topology?id=eq.${idOf("api")}`)).json[0];
  expect(row).toMatchObject({
    logs: [{ name: "pods" }],
    checks: { healthy: 1, unhealthy: 1, unknown: 1 },
    team_names: null,
    incidents: {},
    analysis: { security: { high: 2 } },
    children: [idOf("pod")],
    parents: [idOf("shop")],
  });
  expect(row).not.toHaveProperty("position");
});

test.each([
  ["id=nonsense", "id"],
  ["sortBy=password", "sortBy"],
  ["labels=nonsense", "labels"],
  ["depth=0", "depth"],
  ["depth=1000", "depth"],
  [`status=${",x".repeat(101)}`, "status"],
])("%s is refused", async (query, place) => {
  const reply = await ask(query);
  expect([reply.status, reply.json.issues[0].path]).toEqual([400, place]);
  expect(reply.json.error).toEqual(expect.any(String));
});

describe("an answer that is known already", () => {
  const changed = async (etag: string) =>
    (await app.admin.get("/api/topology", { "if-none-match": etag })).status;
  const etagNow = async () => (await ask()).headers.get("etag")!;

  test("is told by its tag, until something that it shows changes", async () => {
    const steps: [string, () => Promise<unknown>][] = [
      ["a status", () => app.db.run(sql`update components set status = 'odd' where name = 'disk'`)],
      ["a name", () => app.db.run(sql`update components set name = 'drive' where name = 'disk'`)],
      ["a tie", () => relate("shop", "disk")],
      ["a team", () => app.db.run(sql`update teams set name = 'Money' where name = 'Payments'`)],
      ["a check", () => app.db.run(sql`update checks set status = 'unhealthy' where name = 'a'`)],
      ["an insight", () => app.db.run(sql`update config_analysis set status = 'resolved'`)],
    ];
    for (const [what, step] of steps) {
      const etag = await etagNow();
      expect([what, await changed(etag)]).toEqual([what, 304]);
      await step();
      expect([what, await changed(etag)]).toEqual([what, 200]);
    }
  });

  test("is not asked for again for what it does not show", async () => {
    const etag = await etagNow();
    await app.db.run(sql`update checks set last_runtime = now(), status = status`);
    await app.db.run(sql`update config_analysis set last_observed = now()`);
    await app.db.run(sql`update components set status = status where false`);
    expect(await changed(etag)).toBe(304);
  });

  test("differs by question", async () => {
    const etag = await etagNow();
    expect((await app.admin.get("/api/topology?depth=1", { "if-none-match": etag })).status).toBe(
      200,
    );
  });
});

test("circles end, and what is caught in one is shown", async () => {
  await add("hen");
  await add("egg", { parent: "hen" });
  await app.db.run(sql`update components set parent_id = ${idOf("egg")} where id = ${idOf("hen")}`);
  await relate("egg", "hen");
  expect(await draw("depth=20&status=healthy")).toContain("egg(hen)");
  expect(await draw(`depth=20&id=${idOf("hen")}`)).toBe("hen(egg)");
  await app.db.run(sql`update components set deleted_at = now() where name in ('hen', 'egg')`);
});

test("what many share is not told more often than can be shown", async () => {
  const layers = 12;
  for (let layer = 0; layer < layers; layer++)
    for (const side of ["l", "m", "r"]) await add(`${side}${layer}`, { status: "layered" });
  await app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id)
    select a.id, b.id, 'layers' from components a join components b
      on substr(b.name, 2)::int = substr(a.name, 2)::int + 1
     where a.status = 'layered' and b.status = 'layered'`);
  const reply = await ask("depth=64&status=layered");
  expect([reply.status, reply.json.error]).toEqual([
    413,
    "These are more than 50000 components: ask with a smaller depth, or for one of them.",
  ]);
  expect((await ask("flatten=true&status=layered")).answer.components).toHaveLength(3 * layers);
});

test("both addresses answer alike, to whoever may read topologies", async () => {
  const viewer = await createPerson(app, "viewer");
  const [one, other] = [
    await viewer.get("/api/topology?depth=1"),
    await viewer.get("/api/canary/api/topology?depth=1"),
  ];
  expect([one.status, one.text]).toEqual([200, other.text]);
  expect((await app.nobody.get("/api/topology")).status).toBe(401);
});
