import { afterAll, beforeAll, expect, test } from "vitest";
import sql, { join, type Sql } from "sql-template-tag";
import { untilBlocked } from "../../../testing/blocked.ts";
import { startTestApp, type TestApp } from "../../../testing/app.ts";

/** Changes found by sets of tags beside a look at the tags of each item: the same, whatever is written meanwhile. */

let seed = 5;
const below = (sides: number) => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % sides;
};
const oneOf = <One>(all: readonly One[]) => all[below(all.length)]!;
const items = 60;
const itemOf = (n: number) => `0190a0b4-0000-7000-8000-${String(n).padStart(12, "0")}`;

const anyTags = (): string | null =>
  below(8) === 0
    ? null
    : JSON.stringify(
        Object.fromEntries(
          ["zone", "namespace", "team"]
            .slice(below(3))
            .map((key) => [key, oneOf(["a", "b", "A", ""])]),
        ),
      );

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const made = Array.from(
    { length: items },
    (_, n) =>
      sql`(${itemOf(n)}::uuid, ${`item ${n}`}, ${oneOf(["T", "U"])}, 'T', ${anyTags()}::jsonb, ${below(5) === 0 ? new Date() : null}::timestamptz)`,
  );
  await app.db.run(sql`
    insert into config_items (id, name, type, config_class, tags, deleted_at) values ${join(made)}`);
  await app.db.run(sql`
    insert into config_changes (config_id, change_type, created_at)
    select id, 'diff', now() - interval '1 hour' * n from config_items, generate_series(1, 3) n`);
  // More than are named one by one.
  await app.db.run(sql`
    with made as (
      insert into config_items (name, type, config_class, tags, deleted_at)
      select 'one of many ' || n, case when n % 3 = 0 then 'T' else 'U' end, 'T', jsonb_build_object('crowd', 'c' || n % 2), case when n % 7 = 0 then now() end
        from generate_series(1, 2400) n returning id, name)
    insert into config_changes (config_id, change_type, created_at)
    select id, 'diff', now() - interval '1 hour' from made where name like '%5'`);
});
afterAll(() => app.stop());

const selected: readonly (readonly [body: object, where: Sql])[] = [
  [{ tags: "zone=a" }, sql`i.tags ->> 'zone' = 'a'`],
  [
    { tags: "zone in (a,b),team=a" },
    sql`i.tags ->> 'zone' in ('a', 'b') and i.tags ->> 'team' = 'a'`,
  ],
  [{ tags: "zone!=a" }, sql`i.tags ->> 'zone' is distinct from 'a'`],
  [{ tags: "!team" }, sql`i.tags -> 'team' is null`],
  [{ tags: "team" }, sql`i.tags -> 'team' is not null`],
  [{ tags: "zone=nowhere" }, sql`false`],
  [{ tags: "crowd" }, sql`i.tags -> 'crowd' is not null`],
  [{ tags: "crowd=c1" }, sql`i.tags ->> 'crowd' = 'c1'`],
  [{ search: "tag:crowd=c1 -config_type=t" }, sql`i.tags ->> 'crowd' = 'c1' and i.type = 'U'`],
  [{ search: "tag:zone=a" }, sql`lower(i.tags ->> 'zone') = 'a'`],
  [{ search: "-tag:zone=a" }, sql`lower(i.tags ->> 'zone') is distinct from 'a'`],
  [{ search: "tag:team" }, sql`i.tags -> 'team' is not null`],
  [{ search: "namespace=b" }, sql`lower(i.tags ->> 'namespace') = 'b'`],
  [
    { search: "config_type=U tag:zone=a,b" },
    sql`i.type = 'U' and lower(i.tags ->> 'zone') in ('a', 'b')`,
  ],
  [{ search: "config_type=U | tag:zone=b" }, sql`(i.type = 'U' or lower(i.tags ->> 'zone') = 'b')`],
  [{ tags: "zone=a", config_type: "T" }, sql`i.type = 'T' and i.tags ->> 'zone' = 'a'`],
];

async function compareAll(): Promise<number> {
  let found = 0;
  for (const [body, where] of selected)
    for (const isAlive of [true, false]) {
      const asked = { ...body, page_size: 1000, include_deleted_configs: !isAlive };
      const { status, json } = await app.admin.post("/api/catalog/changes", asked);
      const expected = await app.db.rows<{ id: string }>(sql`
        select c.id from config_changes c join config_items i on i.id = c.config_id
         where ${where} and (${!isAlive} or i.deleted_at is null) order by c.id`);
      const ids = ((json.changes ?? []) as { id: string }[]).map(({ id }) => id);
      expect([asked, status, json.total ?? 0, ids.toSorted()]).toEqual([
        asked,
        200,
        expected.length,
        expected.map(({ id }) => id),
      ]);
      found += ids.length;
    }
  return found;
}

test("are those of the items with these tags, while tags change and sets that nobody has are taken out", async () => {
  expect(await compareAll()).toBeGreaterThan(200);
  const drop = () => app.db.run(sql`select drop_unused_tag_sets(1000)`);
  const operations: readonly (() => Promise<unknown>)[] = [
    ...Array.from(
      { length: 4 },
      () => () =>
        app.db.run(
          sql`update config_items set tags = ${anyTags()}::jsonb where id = ${itemOf(below(items))}`,
        ),
    ),
    () =>
      app.db.run(sql`
        update config_items set deleted_at = case when deleted_at is null then now() end where id = ${itemOf(below(items))}`),
    () =>
      app.db.run(sql`
        insert into config_items (name, type, config_class, tags) values ('new', 'T', 'T', ${anyTags()}::jsonb)`),
    drop,
  ];
  const worker = async () => {
    for (let n = 0; n < 30; n += 1) await oneOf(operations)();
  };
  await Promise.all(Array.from({ length: 5 }, worker));
  expect(await compareAll()).toBeGreaterThan(200);
  await drop();
  await compareAll();
  // One of each, and none that nobody has.
  const kept = await app.db.rows(sql`select tags::text from config_tag_sets order by 1`);
  expect(kept).toEqual(
    await app.db.rows(sql`select distinct tags::text from config_items order by 1`),
  );
});

test("a set that somebody is about to write is not taken out", async () => {
  const tags = JSON.stringify({ zone: "once" });
  const write = sql`update config_items set tags = ${tags}::jsonb where id = ${itemOf(1)}`;
  await app.db.run(write);
  await app.db.run(sql`update config_items set tags = null where id = ${itemOf(1)}`);
  const { dropped } = await app.db.transaction(async (tx) => {
    // The set is there: only that the item has it is not seen yet.
    await tx.run(write);
    const dropping = app.db.run(sql`select drop_unused_tag_sets(1000)`);
    await untilBlocked(tx, 1);
    return { dropped: dropping };
  });
  await dropped;
  expect(
    (
      await app.admin.post("/api/catalog/changes", {
        tags: "zone=once",
        include_deleted_configs: true,
      })
    ).json.total,
  ).toBe(3);
});
