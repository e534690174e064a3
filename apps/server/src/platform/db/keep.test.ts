import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../../testing/app.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
  await database.owner.raw(`
    create table rooms (id int primary key, name text, secret text, is_pushed boolean not null default false,
                        agent_id uuid not null default '00000000-0000-0000-0000-000000000000',
                        updated_at timestamptz not null default '2020-01-01', deleted_at timestamptz);
    call keep_updated_at('rooms');
    call keep_is_pushed('rooms');
    call keep_history('rooms', 'id', '{updated_at, secret}');
    create table halls (id int primary key, name text, guests int, updated_at timestamptz not null default '2020-01-01');
    call keep_updated_at('halls', '{name}');
    call keep_history('halls', 'id', verbs => 'update of name', only_when => 'new.guests > 0');`);
});
afterAll(() => database.drop());

let ids = 0;
async function touched(table: string, before: string, change: string): Promise<unknown> {
  const id = ++ids;
  await database.owner.raw(
    `insert into ${table} (id, ${before.split("=")[0]}) values (${id}, ${before.split("=")[1]})`,
  );
  await database.owner.raw(`update ${table} set ${change} where id = ${id}`);
  return (
    await database.owner.raw(
      `select updated_at > '2020-01-02' as touched from ${table} where id = ${id}`,
    )
  ).rows[0].touched;
}

test.each([
  ["rooms", "name = 'a'", "name = 'b'", true],
  ["rooms", "name = 'a'", "name = 'a'", false],
  ["rooms", "name = 'a'", "name = 'b', deleted_at = now()", false],
  ["rooms", "name = 'a'", "is_pushed = true", false],
  ["rooms", "is_pushed = true", "name = 'b'", true],
  ["rooms", "agent_id = '00000000-0000-0000-0000-000000000001'", "name = 'b'", false],
  ["halls", "name = 'a'", "name = 'b'", true],
  ["halls", "name = 'a'", "guests = 5", false],
])("of %s with %s, %s is a change: %s", async (table, before, change, expected) => {
  expect(await touched(table, before, change)).toBe(expected);
});

test("what was handed on and changes is to be handed on again", async () => {
  const id = ++ids;
  await database.owner.raw(`insert into rooms (id, name, is_pushed) values (${id}, 'a', true)`);
  const pushed = async (change: string) =>
    (await database.owner.raw(`update rooms set ${change} where id = ${id} returning is_pushed`))
      .rows[0].is_pushed as boolean;
  expect(await pushed("name = 'a'")).toBe(true);
  expect(await pushed("name = 'b'")).toBe(false);
  expect(await pushed("name = 'c', is_pushed = true")).toBe(true);
});

test("a change is written down with what is not to be left out, when somebody stands behind it", async () => {
  const write = (text: string, actor: object | undefined) =>
    database.owner.transaction(async (tx) => void (await tx.raw(text)), {
      settings: actor ? { "mainstay.actor": JSON.stringify(actor) } : {},
    });
  const anna = { name: "Anna" };
  await write("insert into rooms (id, name, secret) values (900, 'a', 's')", anna);
  await write("update rooms set secret = 't' where id = 900", anna);
  await write("update rooms set name = 'b' where id = 900", undefined);
  await write("insert into halls (id, name, guests) values (901, 'a', 1)", anna);
  await write("update halls set guests = 2 where id = 901", anna);
  await write("update halls set name = 'b' where id = 901", anna);
  await write("update halls set name = 'c', guests = 0 where id = 901", anna);
  const rows = await database.db.rows(sql`
    select actor_name, verb, table_name, row_id, after - 'agent_id' as after from audit_log
     where table_name in ('rooms', 'halls') order by created_at, id`);
  expect(rows).toEqual([
    {
      actor_name: "Anna",
      verb: "insert",
      table_name: "rooms",
      row_id: "900",
      after: { id: 900, name: "a", is_pushed: false, deleted_at: null },
    },
    {
      actor_name: "Anna",
      verb: "update",
      table_name: "halls",
      row_id: "901",
      after: expect.objectContaining({ name: "b" }) as object,
    },
  ]);
});
