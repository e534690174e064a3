import { createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
// For the type of what `inject` gives.
import "@mainstay/testkit/global-setup.ts";
import { createDataApi } from "./engine.ts";
import { type Ask, asker, json, undone } from "./testing/zoo.ts";

/** What the latest PostgREST documents, where the program that is compared with, version 12, cannot tell. */

let database: TestDatabase;
let pool: pg.Pool;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  pool = new pg.Pool({ ...database.superuser, max: 4 });
  pool.on("error", () => undefined);
  await pool.query(`
    create table projects (id int primary key, name text, docs jsonb, at timestamptz);
    insert into projects values (1, 'one', '[1,2]', '2024-06-01T12:00:00Z'), (2, 'two', '{"a":1}', null);
    create table keyed (id int unique, name text);
    create view unkeyed as select id, name from projects;
    create rule adds as on insert to unkeyed do instead insert into keyed values (null, new.name) returning id, name;
    create table months (id int, at date, project_id int references projects (id), primary key (id, at)) partition by range (at);
    create table months_old partition of months for values from ('2020-01-01') to ('2024-01-01');
    create table months_new partition of months for values from ('2024-01-01') to ('2030-01-01');
    create table remarks (id int primary key, month_id int, month_at date, foreign key (month_id, month_at) references months_new (id, at));
    insert into months values (1, '2024-02-01', 1);
    create function new_months() returns setof months_new language sql stable as $$ select * from months_new $$;
    create function removes() returns void language sql as $$ delete from keyed $$;
    create function removed() returns setof keyed language sql as $$ delete from keyed returning * $$;
    create function remove_one() returns int language sql as $$ delete from keyed returning 1 $$;
    create function stops() returns int language sql as $$ select 1 $$;
    insert into keyed values (1, 'a'), (2, 'b'), (3, 'c');
  `);
  const api = createDataApi({ pool, tables: "all", errors: "whole" });
  await api.ready();
  ask = asker<object>(api, undone(pool, {}));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function asked(question: Ask<object>) {
  const answer = await ask(question);
  return { status: answer.status, headers: answer.headers, body: json(answer) };
}

describe("time zones", () => {
  test("one is a text also where the database reads backslashes in texts", async () => {
    const old = new pg.Pool({
      ...database.superuser,
      max: 1,
      options: "-c standard_conforming_strings=off",
    });
    old.on("error", () => undefined);
    const api = createDataApi({ pool: old, tables: "all", errors: "whole" });
    await api.ready();
    await pool.query("create table z ()");
    const headers = { prefer: "timezone=A1\\';end;drop table z--" };
    const answer = await asker<object>(api)({ url: "projects?select=at", headers });
    await old.end();
    expect(json(answer)).toMatchObject({ code: "22023" });
    await pool.query("drop table z");
  });

  test.for(["", "handling=strict, ", "handling=lenient, "])(
    "one that there is not is refused with Prefer: %s",
    async (handling) => {
      const headers = { prefer: `${handling}timezone=Jupiter/Red_Spot` };
      expect(await asked({ url: "projects?select=at", headers })).toMatchObject({
        status: 400,
        body: {
          code: "22023",
          message: 'invalid value for parameter "TimeZone": "Jupiter/Red_Spot"',
          details: null,
          hint: null,
        },
      });
    },
  );

  test.for<[string, string]>([
    ["America/Los_Angeles", "2024-06-01T05:00:00-07:00"],
    ["America/North_Dakota/New_Salem", "2024-06-01T07:00:00-05:00"],
    ["+05:30", "2024-06-01T06:30:00-05:30"],
    ["-4", "2024-06-01T08:00:00-04:00"],
  ])("%s", async ([zone, at]) => {
    const headers = { prefer: `timezone=${zone}` };
    const answer = await asked({ url: "projects?select=at&id=eq.1", headers });
    expect(answer).toMatchObject({ status: 200, body: [{ at }] });
    expect(answer.headers["preference-applied"]).toBe(`timezone=${zone}`);
  });

  test("one that is too long to be a zone does not reach the database", async () => {
    const headers = { prefer: `timezone=${"A".repeat(25)}5` };
    expect(await asked({ url: "projects", headers })).toMatchObject({
      status: 400,
      body: { code: "PGRST129" },
    });
  });
});

describe("grammar", () => {
  test.for<[string, string, number]>([
    ["columns=", "columns parameter ()", 1],
    ["on_conflict=", "on_conflict parameter ()", 1],
    ["select=docs->>--34", "select parameter (docs->>--34)", 9],
    ["select=docs->>-78xy", "select parameter (docs->>-78xy)", 11],
    ["select=docs->>-xy-4", "select parameter (docs->>-xy-4)", 9],
  ])("%s", async ([query, what, column]) => {
    const method = query.startsWith("select") ? "GET" : "POST";
    const body = method === "POST" ? { id: 5 } : undefined;
    expect(await asked({ method, url: `projects?${query}`, body })).toMatchObject({
      status: 400,
      body: {
        code: "PGRST100",
        message: `"failed to parse ${what}" (line 1, column ${column})`,
      },
    });
  });

  test("a dash in front of a key of a filter", async () => {
    expect(await asked({ url: "projects?docs->>--34=eq.1" })).toMatchObject({
      status: 400,
      body: { code: "PGRST100" },
    });
    expect(await asked({ url: "projects?select=id&docs->>-1=eq.2" })).toMatchObject({
      body: [{ id: 1 }],
    });
  });
});

describe("hints", () => {
  test.for<[string, string | null]>([
    ["projectx", "Perhaps you meant the table 'public.projects'"],
    ["projecxx", "Perhaps you meant the table 'public.projects'"],
    ["projxxxx", null],
    ["nowhere", null],
    ["rpc/stopss", "Perhaps you meant to call the function public.stops"],
    ["rpc/stopxyz", null],
  ])("%s", async ([url, hint]) => {
    expect(await asked({ url })).toMatchObject({ status: 404, body: { hint } });
  });

  test("what is related is proposed further away", async () => {
    expect(await asked({ url: "months?select=*,projxxxx(*)" })).toMatchObject({
      body: { hint: "Perhaps you meant 'projects' instead of 'projxxxx'." },
    });
  });
});

describe("partitions", () => {
  const unrelated = { status: 400, body: { code: "PGRST200" } };

  test.for([
    "months?select=id,months_new(id)",
    "projects?select=id,months_new(id)",
    "projects?select=id,months_new!inner(id)",
    "projects?select=id,...months_new(id)",
    "projects?select=id,months_new(count)",
    "remarks?select=id,months_new(id)",
    "remarks?select=id,m:months_new!remarks_month_id_month_at_fkey(id)",
    "rpc/new_months?select=id,remarks(id)",
    "rpc/new_months?select=id,nothing(id)",
  ])("%s", async (url) => {
    expect(await asked({ url })).toMatchObject(unrelated);
  });

  test("are not there by themselves", async () => {
    expect(await asked({ url: "months_new" })).toMatchObject({
      status: 404,
      body: { code: "PGRST205" },
    });
  });

  test("come out of functions with their columns", async () => {
    const rows = { status: 200, body: [{ id: 1, project_id: 1 }] };
    expect(await asked({ url: "rpc/new_months?select=id,project_id&id=eq.1" })).toMatchObject(rows);
  });
});

describe("max-affected of calls", () => {
  const headers = { prefer: "handling=strict, max-affected=2" };

  test.for(["removes", "remove_one"])("%s does not tell rows", async (name) => {
    expect(await asked({ method: "POST", url: `rpc/${name}`, headers, body: {} })).toMatchObject({
      status: 400,
      body: {
        code: "PGRST128",
        message:
          "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
      },
    });
  });

  test("rows are counted", async () => {
    const call = { method: "POST", url: "rpc/removed", body: {} };
    expect(await asked({ ...call, headers })).toMatchObject({
      status: 400,
      body: { code: "PGRST124", details: "The query affects 3 rows" },
    });
    const three = { prefer: "handling=strict, max-affected=3" };
    expect(await asked({ ...call, headers: three })).toMatchObject({ status: 200 });
    const lenient = { prefer: "max-affected=2" };
    const none = { ...call, url: "rpc/removes", headers: lenient };
    expect((await ask(none)).status).toBe(204);
  });
});

test("a key that is null is looked for as null", async () => {
  const headers = { prefer: "return=headers-only" };
  const body = { name: "of nobody" };
  const answer = await ask({ method: "POST", url: "unkeyed", headers, body });
  expect(answer).toMatchObject({ status: 201, headers: { location: "/unkeyed?id=is.null" } });
});
