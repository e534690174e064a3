import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "#platform/db/database.ts";
import { testDatabase } from "../../../testing/app.ts";
import { readSkeleton } from "./skeleton.ts";

let owner: Database;
/** One connection, so that what it has counted can be asked for. */
let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ owner, drop } = await testDatabase());
  const { database, user, password, host, port } = owner.pool.options;
  db = openDatabase({
    connection: { database, user, password, host, port },
    applicationName: "test",
    onError: (error) => {
      throw error;
    },
    max: 1,
  });
});
afterAll(async () => {
  await db.close();
  await drop();
});
beforeEach(() => owner.raw("truncate components cascade"));

const top = async () =>
  (await owner.first<{ id: string }>(sql`select id from components where name = 'top'`))!.id;

test("thousands below one component are read at once, and not one after the other", async () => {
  await owner.raw(`
    with top as (insert into components (external_id, name, status) values ('top', 'top', 'unknown') returning id)
    insert into components (external_id, name, status, parent_id)
    select 'pod-' || n, 'pod-' || n, 'unknown', top.id from top, generate_series(1, 2000) n`);
  // Without it the planner does not yet know that all have the same parent.
  await owner.raw("analyze components");
  const read = async () => {
    await db.raw("select pg_stat_force_next_flush()");
    return (await db.first<{ scans: number }>(
      sql`select seq_scan::int as scans from pg_stat_user_tables where relname = 'components'`,
    ))!.scans;
  };
  const before = await read();
  const bones = await readSkeleton(db, { below: { ids: [await top()], depth: 5 } });
  expect(bones).toHaveLength(2001);
  expect(bones.find(({ name }) => name === "top")!.children).toHaveLength(2000);
  expect((await read()) - before).toBeLessThan(20);
});

test("each is read once, however many ways lead to it", async () => {
  // Each of a layer hangs on all of the layer above: some 8 ** 12 ways from the top to the last.
  await owner.raw(`
    insert into components (external_id, name, status) values ('top', 'top', 'unknown');
    insert into components (external_id, name, status)
    select layer || '-' || n, layer || '-' || n, 'unknown' from generate_series(1, 12) layer, generate_series(1, 8) n;
    insert into component_relationships (component_id, relationship_id, selector_id)
    select below.id, above.id, 's' from components below
      join components above on above.id <> below.id
       and case when above.name = 'top' then 0 else split_part(above.name, '-', 1)::int end
         = case when below.name = 'top' then 0 else split_part(below.name, '-', 1)::int end - 1`);
  const bones = await readSkeleton(db, { below: { ids: [await top()], depth: 20 } });
  expect(bones).toHaveLength(1 + 12 * 8);
  expect(bones.find(({ name }) => name === "12-1")!.parents).toHaveLength(8);
});
