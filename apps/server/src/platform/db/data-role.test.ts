import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../log.ts";
import {
  type MigratedDatabase,
  startTestApp,
  testDatabase,
  type TestApp,
} from "../../testing/app.ts";
import { openDatabase } from "./database.ts";
import { type DataRoles, type GrantedTable, prepareDataRoles } from "./data-role.ts";

/** What SQL that slipped into a statement of the data API could do: what the roles of its connections may. */

let app: TestApp;
let run: (role: "read" | "write", text: string) => Promise<unknown[]>;
let end: () => Promise<unknown>;

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const [names] = (
    await app.db.raw(
      "select 'mainstay_data_' || oid as read, 'mainstay_data_' || oid || '_write' as write from pg_database where datname = current_database()",
    )
  ).rows as [DataRoles];
  const pools = { read: app.db.openPool(1, names.read), write: app.db.openPool(1, names.write) };
  run = async (role, text) => (await pools[role].query<object>(text)).rows;
  end = () => Promise.all([pools.read.end(), pools.write.end()]);
});
afterAll(async () => {
  await end();
  await app.stop();
});

const prepare = ({ db, owner }: MigratedDatabase, tables: GrantedTable[]) =>
  prepareDataRoles(db, createLog("error"), tables, owner);

const refused = { code: "42501" };

const neverAllowed = [
  "select * from identity_credentials",
  "select * from identity_sessions",
  "select external_id from people",
  "select * from people",
  "select count(*) from migrations",
  "select * from pg_authid",
  "insert into identity_sessions default values",
  "update people set name = 'x'",
  "delete from people",
  "delete from audit_log",
  "insert into event_queue (name, properties) values ('a', '{}')",
  "create table mine (id int)",
  "create role other",
  "alter table people add column x int",
  "alter table properties disable trigger all",
  "drop table properties",
  "truncate properties",
  "copy people to program 'cat'",
  "select pg_read_file('/etc/passwd')",
];

describe("the roles of the data API", () => {
  test("read what is declared", async () => {
    for (const role of ["read", "write"] as const) {
      expect(await run(role, "select name from people where name = 'Admin'")).toEqual([
        { name: "Admin" },
      ]);
      expect(await run(role, "select id from canaries")).toEqual([]);
    }
  });

  test.for([
    ...neverAllowed,
    "insert into properties (name, value) values ('a', 'b')",
    "update properties set value = 'x'",
    "delete from canaries",
  ])("the reading one: %s is refused", async (text) => {
    await expect(run("read", text)).rejects.toMatchObject(refused);
  });

  test.for([...neverAllowed, "update checks set name = 'x'", "delete from check_statuses"])(
    "the writing one: %s is refused",
    async (text) => {
      await expect(run("write", text)).rejects.toMatchObject(refused);
    },
  );

  test("the writing one writes what is declared as written, and triggers do their part", async () => {
    await run("write", "insert into properties (name, value) values ('a', 'b')");
    await run(
      "write",
      "insert into canaries (id, name, namespace, spec) values (gen_random_uuid(), 'mine', 'default', '{}')",
    );
    await run("write", "update canaries set deleted_at = now() where name = 'mine'");
    expect(await run("write", "delete from properties where name = 'a' returning value")).toEqual([
      { value: "b" },
    ]);
  });

  test("are those under which requests run", async () => {
    const write = (name: string) =>
      app.admin.post("/api/db/properties", { name, value: "x" }).then(({ status }) => status);
    expect(await write("one")).toBe(201);
    const [{ role }] = (
      await app.db.raw(
        "select grantee as role from information_schema.role_table_grants where table_name = 'properties' and privilege_type = 'INSERT' and grantee like 'mainstay\\_data\\_%'",
      )
    ).rows as [{ role: string }];
    await app.owner.raw(`revoke insert on properties from ${role}`);
    expect(await write("two")).toBe(403);
    await app.owner.raw(`grant insert on properties to ${role}`);
    expect(await write("two")).toBe(201);
  });

  test("are left with what is declared now", async () => {
    const database = await testDatabase();
    try {
      const roles = await prepare(database, [
        { name: "people" },
        { name: "properties", write: "all" },
      ]);
      const again = await prepare(database, [{ name: "people", hidden: ["email"] }]);
      expect(again).toEqual(roles);
      const pool = database.db.openPool(1, roles?.read);
      await expect(pool.query("select name from properties")).rejects.toMatchObject(refused);
      await expect(pool.query("select email from people")).rejects.toMatchObject(refused);
      expect((await pool.query("select name from people")).rows).toBeDefined();
      await pool.end();
      const writing = database.db.openPool(1, roles?.write);
      await expect(writing.query("delete from properties")).rejects.toMatchObject(refused);
      await writing.end();
    } finally {
      await database.drop();
    }
  });

  test("may read a view that was made again with the same columns", async () => {
    const database = await testDatabase();
    try {
      const tables = [{ name: "seen" }];
      await database.owner.raw("create view seen as select 1 as a");
      const roles = await prepare(database, tables);
      await database.owner.raw("drop view seen; create view seen as select 2 as a");
      await prepare(database, tables);
      const pool = database.db.openPool(1, roles?.read);
      expect((await pool.query("select a from seen")).rows).toEqual([{ a: 2 }]);
      await pool.end();
    } finally {
      await database.drop();
    }
  });

  test("hold whatever the database's address sets", async () => {
    const database = await testDatabase();
    const roles = await prepare(database, [{ name: "people" }]);
    const db = openDatabase({
      connection: { connectionString: `${database.url}&options=-c%20work_mem%3D5MB` },
      applicationName: "test",
      onError: () => undefined,
    });
    const pool = db.openPool(1, roles?.read);
    try {
      const asked = "select current_user as role, current_setting('work_mem') as memory";
      expect((await pool.query(asked)).rows).toEqual([{ role: roles?.read, memory: "5MB" }]);
    } finally {
      await pool.end();
      await db.close();
      await database.drop();
    }
  });

  test("are done without where roles cannot be made, and that is said", async () => {
    const database = await testDatabase();
    const warnings: string[] = [];
    const log = { ...createLog("error"), warn: (_: object, text: string) => warnings.push(text) };
    try {
      expect(
        await prepareDataRoles(database.db, log as never, [{ name: "people" }], database.db),
      ).toBeUndefined();
      expect(warnings.join()).toContain("CREATEROLE");
      // Once they are made it is enough to be who may take them on.
      const roles = await prepare(database, [{ name: "people" }]);
      expect(
        await prepareDataRoles(database.db, log as never, [{ name: "people" }], database.db),
      ).toEqual(roles);
      expect(warnings).toHaveLength(1);
    } finally {
      await database.drop();
    }
  });
});
