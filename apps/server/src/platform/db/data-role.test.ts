import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { startTestApp, testDatabase, type TestApp } from "../../testing/app.ts";
import { prepareDataRole } from "./data-role.ts";

/** What SQL that slipped into a read of the data API could do: what the role of its connections may. */

let app: TestApp;
let read: (text: string) => Promise<unknown[]>;
let end: () => Promise<void>;

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const [{ role }] = (
    await app.db.raw(
      "select 'mainstay_data_' || oid as role from pg_database where datname = current_database()",
    )
  ).rows as [{ role: string }];
  const pool = app.db.openPool(1, role);
  read = async (text) => (await pool.query<object>(text)).rows;
  end = () => pool.end();
});
afterAll(async () => {
  await end();
  await app.stop();
});

const refused = { code: "42501" };

describe("the role of the data API's reads", () => {
  test("reads what is declared", async () => {
    expect(await read("select name from people where name = 'Admin'")).toEqual([{ name: "Admin" }]);
    expect(await read("select id from canaries")).toEqual([]);
  });

  test.for([
    "select * from identity_credentials",
    "select * from identity_sessions",
    "select external_id from people",
    "select * from people",
    "select count(*) from migrations",
    "select * from pg_authid",
    "insert into properties (name, value) values ('a', 'b')",
    "update people set name = 'x'",
    "delete from canaries",
    "create table mine (id int)",
    "create role other",
    "alter table people add column x int",
    "drop table properties",
    "copy people to program 'cat'",
    "select pg_read_file('/etc/passwd')",
  ])("%s is refused", async (text) => {
    await expect(read(text)).rejects.toMatchObject(refused);
  });

  test("is left with what is declared now", async () => {
    const database = await testDatabase();
    const log = createLog("error");
    try {
      const role = await prepareDataRole(database.db, log, [
        { name: "people" },
        { name: "properties" },
      ]);
      const again = await prepareDataRole(database.db, log, [
        { name: "people", hidden: ["email"] },
      ]);
      expect(again).toBe(role);
      const pool = database.db.openPool(1, role);
      await expect(pool.query("select name from properties")).rejects.toMatchObject(refused);
      await expect(pool.query("select email from people")).rejects.toMatchObject(refused);
      expect((await pool.query("select name from people")).rows).toBeDefined();
      await pool.end();
    } finally {
      await database.drop();
    }
  });

  test("is done without where roles cannot be made, and that is said", async () => {
    const database = await testDatabase();
    const warnings: string[] = [];
    const log = { ...createLog("error"), warn: (_: object, text: string) => warnings.push(text) };
    try {
      await database.db.raw(
        "create role poor_user nologin; grant usage on schema public to poor_user",
      );
      const poor = database.db.openPool(1, "poor_user");
      const asPoor = {
        ...database.db,
        transaction: async (work: (tx: never) => Promise<unknown>) => {
          const client = await poor.connect();
          const raw = (text: string) => client.query(text);
          const first = async ({ text, values }: { text: string; values: unknown[] }) =>
            (await client.query<object>(text, values)).rows[0];
          try {
            return await work({ raw, first } as never);
          } finally {
            client.release();
          }
        },
      } as unknown as typeof database.db;
      expect(await prepareDataRole(asPoor, log as never, [{ name: "people" }])).toBeUndefined();
      expect(warnings.join()).toContain("CREATEROLE");
      await poor.end();
      await database.db.raw("drop owned by poor_user; drop role poor_user");
    } finally {
      await database.drop();
    }
  });
});
