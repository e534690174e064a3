import sql, { raw } from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, createApp } from "../../../app.ts";
import { createLog } from "#platform/log.ts";
import { client, testConfig, testDatabase } from "../../../testing/app.ts";
import { relateChecks } from "./relate-checks.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
let app: App;
let admin: ReturnType<typeof client>;
beforeAll(async () => {
  database = await testDatabase();
  app = await createApp({
    config: testConfig({ role: "api" }),
    db: database.db,
    owner: database.owner,
    log: createLog("silent"),
    consoleDirectory: import.meta.dirname,
  });
  await app.listen();
  const { token } = await app.createLocalSession();
  admin = client(app.address, { "x-session-token": token });
});
afterAll(async () => {
  await app.stop();
  await database.drop();
});

async function save(configs: object[]): Promise<void> {
  const reply = await admin.post("/api/documents", {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "shop", namespace: "prod" },
    spec: {
      schedule: "@never",
      http: [
        {
          name: "web",
          url: "http://127.0.0.1:1/",
          labels: { app: "web-frontend" },
          relationships: { configs },
        },
      ],
    },
  });
  expect(reply.status, reply.text).toBe(200);
}
const related = async () =>
  (
    await database.db.rows<{ name: string }>(sql`
      select i.name from check_config_relationships r join config_items i on i.id = r.config_id
       where r.deleted_at is null order by 1`)
  ).map(({ name }) => name);

test("a check belongs to the items that its document looks up, as long as they are there", async () => {
  const { db } = database;
  await db.run(sql`
    insert into config_items (name, type, config_class, tags, labels, external_id) values
      ('web-frontend', 'Kubernetes::Deployment', 'Deployment', '{"namespace":"prod"}', '{"team":"a"}', array['d1']),
      ('web-frontend', 'Kubernetes::Service', 'Service', '{"namespace":"prod"}', '{}', array['s1']),
      ('web-node', 'Host', 'Host', '{}', '{}', array['h1']),
      ('other', 'Host', 'Host', '{}', '{"team":"b"}', array['h2'])`);
  await save([
    { name: { label: "app" }, type: { value: "Kubernetes::Deployment" } },
    { name: { expr: "result.host" }, type: "Host" },
    { labels: { team: "b" } },
    // Nothing is selected where one of the lookups gives nothing.
    { type: "Host", name: { label: "nothing" } },
  ]);
  expect(await relateChecks(app.ctx)).toEqual({ related: 2, errors: [] });
  expect(await related()).toEqual(["other", "web-frontend"]);

  // As the last result has it.
  await db.run(sql`
    with told as (
      insert into check_statuses (check_id, time, duration, status, details)
      select id, now(), 1, true, '{"host":"web-node"}' from checks returning check_id, time)
    update checks c set last_runtime = told.time from told where c.id = told.check_id`);
  expect(await relateChecks(app.ctx)).toEqual({ related: 3, errors: [] });
  expect(await related()).toEqual(["other", "web-frontend", "web-node"]);
  expect((await admin.get("/api/db/check_summary_for_config?select=name")).json).toHaveLength(3);

  // By hand stays by hand; what is deleted, or no longer said, ends; what comes back is the same row.
  await db.run(sql`
    insert into check_config_relationships (config_id, check_id, canary_id, selector_id)
    select i.id, c.id, c.canary_id, 'manual' from config_items i, checks c where i.external_id = array['s1']`);
  await db.run(sql`update config_items set deleted_at = now() where name = 'other'`);
  await save([{ name: { label: "app" }, type: { value: "Kubernetes::Deployment" } }]);
  await relateChecks(app.ctx);
  expect(await related()).toEqual(["web-frontend", "web-frontend"]);
  await db.run(sql`update config_items set deleted_at = null where name = 'other'`);
  await save([{ labels: { team: "b" } }, { name: { expr: "1 + 'a'" } }]);
  expect((await relateChecks(app.ctx)).errors).toEqual([
    expect.stringMatching(/^prod\/shop, web: relationships\.configs\.1\.name\.expr: cel:1:/),
  ]);
  expect(await related()).toEqual(["other", "web-frontend"]);
  expect(await db.first(sql`select count(*) as n from check_config_relationships`)).toEqual({
    n: 4,
  });
});

test("what one document says twice, or of texts that no item has, takes nothing from the others", async () => {
  const { db } = database;
  await db.run(sql`
    insert into config_items (name, type, config_class, external_id) values ('twice', 'Twice', 'Twice', array['t1'])`);
  await save([{ type: "Twice" }, { type: "Twice" }, { type: "Twice", name: { expr: "'\\x00'" } }]);
  expect(await relateChecks(app.ctx)).toEqual({ related: 1, errors: [] });
  expect(await related()).toContain("twice");

  // For two reasons, it is one check all the same.
  await save([{ type: "Twice" }, { name: { value: "twice" } }]);
  expect(await relateChecks(app.ctx)).toEqual({ related: 2, errors: [] });
  const of = async (view: string) =>
    (
      await db.rows(sql`
        select v.name from ${raw(view)} v join config_items i on i.id = v.config_id where i.name = 'twice'`)
    ).length;
  expect([await of("check_summary_for_config"), await of("checks_by_config")]).toEqual([1, 1]);
  const detail = await admin.get("/api/db/config_detail?name=eq.twice&select=summary");
  expect(detail.json[0].summary.checks).toBe(1);
});

test("more checks than are looked at together, and none of them any more", async () => {
  const { db } = database;
  await db.run(sql`
    insert into config_items (name, type, config_class, external_id) values ('many', 'Many', 'Many', array['m1'])`);
  const many = async (relationships: object | undefined) => {
    const reply = await admin.post("/api/documents", {
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "many", namespace: "prod" },
      spec: {
        schedule: "@never",
        http: Array.from({ length: 60 }, (_, index) => ({
          name: `check ${index}`,
          url: "http://127.0.0.1:1/",
          ...(relationships && { relationships }),
        })),
      },
    });
    expect(reply.status, reply.text).toBe(200);
    await relateChecks(app.ctx);
    return (await related()).filter((name) => name === "many").length;
  };
  expect(await many({ configs: [{ type: "Many" }] })).toBe(60);
  const others = (await related()).filter((name) => name !== "many");
  expect(await many(undefined)).toBe(0);
  expect(await related()).toEqual(others);
});

test("what is wrong with a lookup is told with its place", async () => {
  const reply = await admin.post("/api/documents", {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "wrong" },
    spec: {
      http: [{ name: "x", url: "http://127.0.0.1/", relationships: { configs: [{ name: [] }] } }],
    },
  });
  expect(reply.status).toBe(400);
  expect(reply.text).toContain("relationships.configs.0.name");
});

test("a check belongs to the components that its document looks up, and what components select stays", async () => {
  const { db } = database;
  await db.run(sql`
    insert into topologies (id, name, spec) values ('00000000-0000-4000-8000-0000000000b1', 'shop', '{}')`);
  await db.run(sql`
    insert into components (id, name, type, external_id, status, topology_id) values
      ('00000000-0000-4000-8000-0000000000c1', 'web-frontend', 'Tier', 'x1', 'unknown', '00000000-0000-4000-8000-0000000000b1'),
      ('00000000-0000-4000-8000-0000000000c2', 'web-frontend', 'Pod', 'x2', 'unknown', null),
      ('00000000-0000-4000-8000-0000000000c3', 'other', 'Tier', 'x3', 'unknown', null)`);
  const apply = async (components: object[]) => {
    const reply = await admin.post("/api/documents", {
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "tiers", namespace: "prod" },
      spec: {
        schedule: "@never",
        http: [
          {
            name: "tier",
            url: "http://127.0.0.1:1/",
            labels: { app: "web-frontend" },
            relationships: { components },
          },
        ],
      },
    });
    expect(reply.status, reply.text).toBe(200);
  };
  const belongs = async () =>
    (
      await db.rows<{ external_id: string }>(sql`
        select c.external_id from check_component_relationships r join components c on c.id = r.component_id
         where r.deleted_at is null order by 1`)
    ).map(({ external_id }) => external_id);
  await apply([{ name: { label: "app" }, scope: "shop" }, { external_id: "x3" }]);
  await db.run(sql`
    insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
    select '00000000-0000-4000-8000-0000000000c2', id, canary_id, 'inline' from checks where name = 'tier'`);
  await relateChecks(app.ctx);
  expect(await belongs()).toEqual(["x1", "x2", "x3"]);
  await apply([{ name: { label: "app" }, type: "Tier" }]);
  await relateChecks(app.ctx);
  expect(await belongs()).toEqual(["x1", "x2"]);
  await apply([]);
  await relateChecks(app.ctx);
  expect(await belongs()).toEqual(["x2"]);
});
