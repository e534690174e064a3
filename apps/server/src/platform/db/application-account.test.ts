import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";

/** What SQL that slipped into a statement of the program could do: what the program's own account may. */

let app: TestApp;
let ask: (text: string) => Promise<object[]>;

beforeAll(async () => {
  app = await startTestApp();
  ask = async (text) => (await app.db.raw(text)).rows as object[];
});
afterAll(() => app.stop());

describe("the account that everything runs as", () => {
  test("is no superuser and owns nothing", async () => {
    expect(
      await ask(`
        select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
               pg_has_role('mainstay_owner', 'member') as may_be_owner,
               (select count(*) from pg_class where relowner = r.oid) as tables,
               (select count(*) from pg_proc where proowner = r.oid) as functions
          from pg_roles r where rolname = current_user`),
    ).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        may_be_owner: false,
        tables: 0,
        functions: 0,
      },
    ]);
  });

  test.for<[what: string, text: string]>([
    ["make a role", "create role mine superuser"],
    ["make itself a superuser", "alter role current_user superuser"],
    ["give itself the owner's rights", "grant mainstay_owner to current_user"],
    ["give itself what PostgreSQL has ready", "grant pg_execute_server_program to current_user"],
    ["set the owner's password", "alter role mainstay_owner password 'mine'"],
    ["become the owner", "set role mainstay_owner"],
    ["become the superuser", "set role postgres"],
    ["be somebody else for the session", "set session authorization postgres"],
    ["run a program and read its output", "copy schedules from program 'id'"],
    ["run a program and feed it", "copy people to program 'cat'"],
    ["read a file of the machine", "copy schedules from '/etc/passwd'"],
    ["write a file of the machine", "copy people to '/tmp/people'"],
    ["read a file by a function", "select pg_read_file('/etc/passwd')"],
    ["list a folder of the machine", "select pg_ls_dir('/')"],
    ["read a file as a large object", "select lo_import('/etc/passwd')"],
    ["read the passwords of the database", "select rolpassword from pg_authid"],
    ["change the server's settings", "alter system set log_min_messages = debug5"],
    ["load a library", "load 'dblink'"],
    ["add an extension", "create extension dblink"],
    ["add a language of programs", "create function f() returns int language c as '/tmp/x'"],
    ["add a function", "create function public.mine() returns int language sql as 'select 1'"],
    [
      "replace a function of ours",
      "create or replace function delete_person(uuid) returns void language sql as ''",
    ],
    ["make a table", "create table public.mine (a int)"],
    ["make a table that hides one of ours", "create temporary table people (a int)"],
    ["make a schema", "create schema mine"],
    ["make a table among the queue's", "create table pgboss.mine (a int)"],
    [
      "make a queue with a table of its own",
      `select pgboss.create_queue('mine', '{"partition": "true", "policy": "standard"}')`,
    ],
    ["add a column", "alter table people add column mine int"],
    ["switch triggers off", "alter table people disable trigger all"],
    ["switch triggers off for the session", "set session_replication_role = replica"],
    [
      "add a trigger",
      "create trigger t before insert on people for each row execute function touch_updated_at()",
    ],
    ["add a rule", "create rule r as on delete to people do instead nothing"],
    ["take a table over", "alter table people owner to current_user"],
    ["drop a table", "drop table people"],
    ["drop a view", "drop view people_roles"],
    ["empty a table at once", "truncate audit_log"],
    ["drop a day of results", "drop table check_statuses_default"],
    [
      "drop a day of results that is not over",
      "select drop_partition('check_statuses', 'check_statuses_' || to_char(now(), 'YYYYMMDD'))",
    ],
    [
      "drop another table by the function for days",
      "select drop_partition('people', 'people_20200101')",
    ],
    ["drop another table by its name", "select drop_partition('check_statuses', 'people')"],
    [
      "make another table by the function for days",
      "select make_partition('people', '2020-01-01')",
    ],
    ["forge the list of migrations", "insert into migrations (name, hash) values ('a', 'b')"],
    ["empty the list of migrations", "delete from migrations"],
    [
      "end the owner's work",
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'mainstay_owner'",
    ],
    ["drop the database", "drop database postgres"],
  ])("may not %s", async ([, text]) => {
    // So that somebody is there whose work could be ended.
    await app.owner.raw("select 1");
    await expect(app.db.raw(text)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|P0001|0LP01)$/) as string,
    });
  });

  test("reads and writes rows, numbers them, and takes on the data API's roles and no other", async () => {
    await ask("insert into properties (name, value) values ('mine', '1')");
    expect(await ask("delete from properties where name = 'mine' returning value")).toEqual([
      { value: "1" },
    ]);
    expect(
      await ask(`select count(*) as n from pg_roles r
                  where pg_has_role(current_user, oid, 'set') and rolname <> current_user
                    and rolname not in (select unnest(array['mainstay_data_' || d.oid, 'mainstay_data_' || d.oid || '_write'])
                                          from pg_database d where datname = current_database())
                    and rolname !~ '^mainstay_data_'`),
    ).toEqual([{ n: 0 }]);
  });

  test("has what the owner makes later, as far as its rows", async () => {
    await app.owner.raw("create table later (n int generated always as identity, s serial)");
    expect(await ask("insert into later default values returning n, s")).toEqual([{ n: 1, s: 1 }]);
    await expect(app.db.raw("drop table later")).rejects.toMatchObject({ code: "42501" });
  });
});

test("functions that run as the owner look names up where nobody else can put any", async () => {
  const rows = await ask(`
    select proname, array_to_string(proconfig, ';') as config from pg_proc
     where prosecdef and pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`);
  expect(rows.length).toBeGreaterThan(8);
  for (const row of rows) expect(row).toMatchObject({ config: "search_path=public, pg_temp" });
});
