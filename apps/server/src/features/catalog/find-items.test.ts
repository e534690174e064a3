import { afterAll, beforeAll, expect, test } from "vitest";
import { readCatalogQuery } from "@mainstay/contract";
import sql, { raw } from "sql-template-tag";
import type { Database } from "#platform/db/database.ts";
import { testDatabase } from "../../testing/app.ts";
import { findItems } from "./find-items.ts";

const clock = { now: () => new Date("2026-06-15T12:00:00Z") };
let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ db, drop } = await testDatabase());
  await db.run(sql`
    insert into config_items (name, type, config_class, health, status, config, labels, tags, deleted_at)
    values
      ('front', 'Kubernetes::Pod', 'Pod', 'unhealthy', 'CrashLoop', '{"spec":{"replicas":2}}', '{"app":"shop"}', '{"namespace":"web"}', null),
      ('back', 'Kubernetes::Pod', 'Pod', 'healthy', 'Running', '{"spec":{}}', '{"app":"shop"}', '{"namespace":"web"}', null),
      ('old', 'Kubernetes::Pod', 'Pod', 'healthy', 'Running', null, '{}', '{"namespace":"web"}', now()),
      ('disk', 'AWS::EBS::Volume', 'Volume', 'healthy', 'in-use', '{}', '{}', '{}', null)`);
});
afterAll(() => drop());
const names = async (...selectors: Parameters<typeof findItems>[1]) =>
  (await findItems({ db, clock }, selectors)).map(({ name }) => name);

test("items come by name, with their columns and what is configured", async () => {
  expect(await names({ types: ["Kubernetes::*"] })).toEqual(["back", "front"]);
  expect(await names({ health: "unhealthy" }, { search: "type=AWS::EBS::Volume" })).toEqual([
    "disk",
    "front",
  ]);
  expect(await names({ name: "old", includeDeleted: true })).toEqual(["old"]);
  expect(await names({})).toEqual([]);
  const [front] = await findItems({ db, clock }, [{ name: "front" }]);
  expect(front).toMatchObject({
    type: "Kubernetes::Pod",
    config_class: "Pod",
    status: "CrashLoop",
    health: "unhealthy",
    config: { spec: { replicas: 2 } },
    labels: { app: "shop" },
    tags: { namespace: "web" },
  });
});

test("a query of older documents finds what its SQL would", async () => {
  const ask = async (where: string) => {
    const { selector, equal } = readCatalogQuery(`select * from config_items${where}`)!;
    const found = (await findItems({ db, clock }, [selector])).filter((one) =>
      Object.entries(equal).every(([name, text]) => one[name] === text),
    );
    const rows = await db.rows<{ name: string }>(
      // The texts of this test alone.
      sql`select name from config_items${raw(where)} order by lower(name), id`,
    );
    expect(found.map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    return found.length;
  };
  expect(await ask("")).toBeGreaterThan(3);
  expect(await ask(" where config_class = 'Pod'")).toBeGreaterThan(0);
  expect(await ask(" where config_class = 'pod'")).toBe(0);
  expect(await ask(" where type = 'Kubernetes::Pod' and name = 'front'")).toBe(1);
  expect(await ask(" where name = 'old'")).toBe(1);
  expect(await ask(" where name = 'old' and deleted_at is null")).toBe(0);
  expect(await ask(" where health = 'unhealthy' and status = 'CrashLoop'")).toBe(1);
});

test("what is wrong with a selector is told", async () => {
  await expect(names({ fieldSelector: "=" })).rejects.toThrow("selector.0.fieldSelector");
  await expect(names({ id: "x" })).rejects.toThrow('"x" is not an id');
});

test("a thousand items at most, and large ones without what is configured", async () => {
  await db.run(sql`
    insert into config_items (name, type, config_class, config)
    select 'many ' || n, 'Many', 'Many', jsonb_build_object('text', (select string_agg(md5(n || '-' || k), '') from generate_series(1, 1000) k))
      from generate_series(1, 1100) n`);
  const found = await findItems({ db, clock }, [{ types: "Many" }]);
  expect(found).toHaveLength(1000);
  expect(found[0]?.config).toMatchObject({ text: expect.any(String) as string });
  expect(found.at(-1)?.config).toBeNull();
});
