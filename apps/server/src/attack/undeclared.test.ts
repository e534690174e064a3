import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { alarm } from "./testing/calm.ts";
import { tables } from "./testing/endpoints.ts";
import { pairs, sample } from "@mainstay/testkit/sample.ts";

/** What is not declared, asked for by an administrator in every way that the dialect of the data API has. */

let app: TestApp;
/** Tables of the database that no feature declares. */
let hidden: string[];
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const declared = new Set(tables.map(({ name }) => name));
  const there = await app.db.rows<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'v', 'm', 'p')`);
  hidden = there.map(({ name }) => name).filter((name) => !declared.has(name));
  expect(hidden).toContain("identity_credentials");
});
afterAll(() => app.stop());

const names = tables.map(({ name }) => name);
const secret = ["identity_credentials", "identity_sessions", "access_tokens", "casbin_rule"];
const systemColumns = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid"];

/** Asks, and collects what was answered otherwise than with one of these statuses, or with more than it should say. */
async function expectRefused(
  requests: readonly (readonly [
    method: string,
    path: string,
    headers?: Record<string, string>,
    body?: unknown,
  ])[],
  statuses: readonly number[],
  neverSaid: readonly string[] = [],
): Promise<void> {
  const wrong: string[] = [];
  await eachLimited(requests, 6, async ([method, path, headers, body]) => {
    const reply = await app.admin.request(method, path, body, headers);
    const asked = `${method} ${decodeURIComponent(path)} ${JSON.stringify(headers ?? {})}`;
    if (!statuses.includes(reply.status))
      wrong.push(`${asked}: ${reply.status} ${reply.text.slice(0, 200)}`);
    const told = neverSaid.filter((name) => reply.text.includes(name) && !asked.includes(name));
    wrong.push(...[...alarm(reply), ...told].map((what) => `${asked}: ${what}`));
  });
  expect(requests.length).toBeGreaterThan(3);
  expect(wrong).toEqual([]);
}

test("tables that are not declared are not there, however they are spelled", async () => {
  const spellings = (name: string) => [
    name,
    name.toUpperCase(),
    `"${name}"`,
    `public.${name}`,
    `${name} `,
    `${name};`,
    `${name}--`,
    `${name}/`,
    `/${name}`,
    `people,${name}`,
    `people/../${name}`,
  ];
  const others = [
    "pg_authid",
    "pg_catalog.pg_authid",
    "information_schema.tables",
    "pgboss.job",
    "pgboss/job",
    "pg_stat_activity",
    "pg_temp.x",
  ];
  const paths = [...hidden.flatMap(spellings), ...others].map(
    (name) => `/api/db/${encodeURIComponent(name)}`,
  );
  const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
  await expectRefused(
    sample(
      paths.flatMap((path) => methods.map((method) => [method, path] as const)),
      120,
    ).map(([method, path]) => [
      method,
      path,
      {},
      method === "GET" || method === "DELETE" ? undefined : {},
    ]),
    [404],
    secret,
  );
});

test("no embed, filter, order, hint or spread leads to a table that is not declared", async () => {
  const ways = (other: string) => [
    `select=*,${other}(*)`,
    `select=*,${other}!inner(*)`,
    `select=*,${other}!left(*)`,
    `select=*,a:${other}(*)`,
    `select=*,...${other}(*)`,
    `select=*,${other}!id(*)`,
    `select=*,${other}!${other}_pkey(*)`,
    `select=*,${other}!${other}_identity_id_fkey(*)`,
    `select=*,${other}(count)`,
    `select=${other}`,
    `select=a:${other}`,
    `select=${other}->id`,
    `select=${other}.id`,
    `select=${other}::text`,
    `${other}=is.null`,
    `${other}=not.is.null`,
    `${other}.id=not.is.null`,
    `or=(${other}.is.null,${other}.id.is.null)`,
    `and=(${other}.id.not.is.null)`,
    `select=*,${other}()&${other}=not.is.null`,
    `order=${other}`,
    `order=${other}(id)`,
    `${other}.order=id`,
    `${other}.select=*`,
    `${other}.filter=x`,
  ];
  const cases = pairs(names, sample(hidden, 8).flatMap(ways));
  await expectRefused(
    cases.map(([table, query]) => [
      "GET",
      `/api/db/${table}?${query.split("&").map(encodePair).join("&")}`,
    ]),
    [400],
  );
});

test("no column of the system's, no whole row, and nothing by another's name", async () => {
  const ways = (column: string) => [
    `select=${column}`,
    `select=a:${column}`,
    `select=${column}::text`,
    `select=${column}->x`,
    `select=${column}->>x`,
    `select=${column}.count()`,
    `select=${column}.max()`,
    `${column}=is.null`,
    `${column}=not.eq.1`,
    `${column}=in.(1,2)`,
    `${column}->>x=eq.1`,
    `not.or=(${column}.is.null)`,
    `order=${column}.desc.nullslast`,
    `order=${column}->x`,
    `${column}.filter=x`,
  ];
  const columns = [...systemColumns, '"ctid"', "CTID"];
  const cases = pairs(names, columns.flatMap(ways));
  await expectRefused(
    [
      ...cases.map(
        ([table, query]) => ["GET", `/api/db/${table}?${encodePair(query)}&limit=1`] as const,
      ),
      // The name of a table is its whole row to the database.
      ...sample(names, 10).map(
        (table) => ["GET", `/api/db/${table}?select=${table}::text&limit=1`] as const,
      ),
    ],
    [400],
  );
});

test("what is declared is answered when it is asked in the same way", async () => {
  for (const query of [
    "select=*,team_members(*)&limit=1",
    "select=a:name,id::text&name=not.is.null",
    "or=(name.is.null,id.is.null)&order=name.desc.nullslast",
    "select=id&name.filter=x",
  ]) {
    const path = `/api/db/teams?${query.split("&").map(encodePair).join("&")}`;
    expect([query, (await app.admin.get(path)).status]).toEqual([query, 200]);
  }
});

test("casts go to plain types only", async () => {
  const types = [
    "regclass",
    "regproc",
    "oid",
    "xml",
    "people",
    "identity_credentials",
    "public.people",
    "pg_catalog.text",
    '"text"',
    "text[]; drop table people",
    "text) from identity_credentials --",
    "numeric(1,2)",
    "information_schema.sql_identifier",
    "anyelement",
    "record",
    "cstring",
  ];
  await expectRefused(
    types.map((type) => ["GET", `/api/db/people?select=id::${encodeURIComponent(type)}&limit=1`]),
    [400],
  );
});

test("Accept-Profile and Content-Profile lead to no other schema: they change nothing", async () => {
  const schemas = [
    "pg_catalog",
    "information_schema",
    "pgboss",
    "pg_temp",
    "pg_toast",
    "PUBLIC",
    '"public"',
    "public,pg_catalog",
    "public;",
    "",
    " ",
  ];
  const targets = [
    ...sample(
      names.map((name) => `${name}?limit=1`),
      8,
    ),
    "pg_class",
    "tables",
    "job",
    "schedule",
    "rpc/version",
  ];
  const reading = pairs(targets, schemas);
  const wrong: string[] = [];
  await eachLimited(reading, 6, async ([target, schema]) => {
    const path = `/api/db/${target}`;
    const [plain, other] = [
      await app.admin.get(path),
      await app.admin.get(path, { "accept-profile": schema, "content-profile": schema }),
    ];
    if (plain.status !== other.status || plain.text !== other.text)
      wrong.push(`${path} with ${schema}: ${other.status} ${other.text.slice(0, 200)}`);
  });
  expect(wrong).toEqual([]);
  await expectRefused(
    schemas.flatMap((schema) =>
      ["job", "pg_class"].map(
        (table) => ["POST", `/api/db/${table}`, { "content-profile": schema }, {}] as const,
      ),
    ),
    [404],
  );
});

test("on_conflict takes the columns of a key and nothing else, and writes no row", async () => {
  const odd = [
    "ctid",
    "tableoid",
    "id,ctid",
    "no_such_column",
    "id) do nothing returning (select 1)--",
    "id;drop table people",
    "__proto__",
    "(id)",
    '"id',
    "id::text",
    "lower(name)",
  ];
  const count = async () =>
    (await app.db.first<{ n: number }>(
      sql`select (select count(*) from teams)::int + (select count(*) from properties)::int as n`,
    ))!.n;
  const before = await count();
  const upsert = { prefer: "resolution=merge-duplicates" };
  await expectRefused(
    odd.flatMap((columns) =>
      ["teams", "properties"].map(
        (table) =>
          [
            "POST",
            `/api/db/${table}?on_conflict=${encodeURIComponent(columns)}`,
            upsert,
            { name: "planted", value: "x", icon: "x" },
          ] as const,
      ),
    ),
    [400],
  );
  expect(await count()).toBe(before);
});

test("no function is called that is not declared", async () => {
  const own = await app.db.rows<{ name: string }>(sql`
    select distinct p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'pgboss') and p.prokind in ('f', 'p')`);
  expect(own.length).toBeGreaterThan(5);
  const system = [
    "version",
    "pg_sleep",
    "pg_read_file",
    "pg_ls_dir",
    "lo_import",
    "set_config",
    "current_setting",
    "query_to_xml",
    "pg_terminate_backend",
    "dblink",
    "pg_catalog.version",
    '"version"',
    "version()",
  ];
  const called = [...sample(own, 20).map(({ name }) => name), ...system];
  await expectRefused(
    called.flatMap((name) => [
      ["GET", `/api/db/rpc/${encodeURIComponent(name)}?x=1`] as const,
      ["POST", `/api/db/rpc/${encodeURIComponent(name)}`, {}, { x: 1 }] as const,
    ]),
    [404],
  );
});

const encodePair = (pair: string): string => {
  const at = pair.indexOf("=");
  return `${encodeURIComponent(pair.slice(0, at))}=${encodeURIComponent(pair.slice(at + 1))}`;
};
