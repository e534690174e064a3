import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { seedThisMachine } from "./seed-this-machine.ts";

let app: TestApp;
beforeAll(async () => (app = await startTestApp({ role: "api" })));
afterAll(() => app.stop());

const execUids = { from: 700_000, to: 700_100 };
const fresh = {
  selfCatalog: true,
  selfChecks: true,
  checkerOnly: false,
  exec: "on",
  execUids,
} as const;
const seed = (changes: Partial<Parameters<typeof seedThisMachine>[1]> = {}) =>
  seedThisMachine(app.app.ctx, { ...fresh, databaseUrl: undefined, ...changes });
const scrapers = () =>
  app.db.rows(sql`
    select c.name, c.namespace, c.source, c.spec from config_scrapers c where c.deleted_at is null`);

test.each([
  ["it is switched off", { selfCatalog: false }],
  ["nothing is made by itself", { selfChecks: false }],
  ["scripts are off", { exec: "off" }],
  ["only health is shown", { checkerOnly: true }],
  ["others have the database", { databaseUrl: "postgres://db/mainstay" }],
] as const)("no scraper where %s", async (_, changes) => {
  expect(await seed(changes)).toBe(false);
  expect(await scrapers()).toEqual([]);
});

test("the first start makes a scraper that anybody may change; deleted it stays deleted", async () => {
  expect(await seed()).toBe(true);
  expect(await scrapers()).toEqual([
    {
      name: "this-machine",
      namespace: "mainstay",
      source: "UI",
      spec: { schedule: "@every 10m", host: [{ name: "this-machine" }] },
    },
  ]);
  const due = sql`select next_at <= now() as due from schedules where kind = 'config_scraper'`;
  expect(await app.db.first(due)).toEqual({ due: true });
  expect(await seed()).toBe(false);
  const id = (await app.db.first<{ id: string }>(sql`select id from config_scrapers`))!.id;
  const deleted = await app.admin.patch(`/api/db/config_scrapers?id=eq.${id}`, {
    deleted_at: "now()",
  });
  expect(deleted.status, deleted.text).toBe(204);
  expect(await seed()).toBe(false);
  expect(await scrapers()).toEqual([]);
});

test("where somebody has brought documents there is none", async () => {
  await app.db.run(sql`delete from migration_logs where path = 'seed:self-catalog'`);
  await app.db.run(
    sql`insert into canaries (name, namespace, spec) values ('shop', 'default', '{}')`,
  );
  await app.db.run(sql`update config_scrapers set name = 'gone'`);
  expect(await seed()).toBe(false);
  expect(await scrapers()).toEqual([]);
});
