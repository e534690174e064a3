import { createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
// For the type of what `inject` gives.
import "@mainstay/testkit/global-setup.ts";
import { createDataApi } from "./engine.ts";
import { type Ask, asker, json, undone } from "./testing/zoo.ts";

/** What the database's own code makes of rows: aggregates and functions whose result is named after a media type. */

let database: TestDatabase;
let pool: pg.Pool;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  pool = new pg.Pool({ ...database.superuser, max: 4 });
  pool.on("error", () => undefined);
  await pool.query(`
    create domain "application/vnd.dots" as bytea;
    create domain "text/x-names" as text;
    create domain "text/tab-separated-values" as text;
    create domain "application/json" as json;
    create domain "text/csv" as text;
    create domain "application/vnd.pgrst.object" as json;
    create domain "*/*" as text;
    create table lamps (id int primary key, name text, watts int);
    insert into lamps values (1, 'desk', 5), (2, 'floor', 40), (3, null, 9);
    create table chairs (id int primary key, name text);
    insert into chairs values (1, 'oak');
    create table numbers (val int);
    insert into numbers values (1), (2);
    create function lamp_dots(state "application/vnd.dots", lamp lamps) returns "application/vnd.dots" language sql immutable as
      $$ select (coalesce(state, ''::bytea) || set_byte('\\x00', 0, lamp.watts))::"application/vnd.dots" $$;
    create aggregate dots(lamps) (sfunc = lamp_dots, stype = "application/vnd.dots");
    create function any_line(state text, one anyelement) returns text language sql immutable as
      $$ select concat(state, one::text, e'\\n') $$;
    create function as_tabs(state text) returns "text/tab-separated-values" language sql as $$ select state $$;
    create aggregate tabs(anyelement) (sfunc = any_line, stype = text, finalfunc = as_tabs);
    create function lamp_names(state text, lamp lamps) returns text language sql immutable as
      $$ select concat_ws('+', state, lamp.name) $$;
    create function to_tabs(state text) returns "text/tab-separated-values" language sql as $$ select 'lamps:' || state $$;
    create aggregate lamp_tabs(lamps) (sfunc = lamp_names, stype = text, finalfunc = to_tabs);
    create function chair_json(state "application/json", chair chairs) returns "application/json" language sql immutable as
      $$ select json_build_object('chair', chair.name)::"application/json" $$;
    create aggregate chairs_json(chairs) (sfunc = chair_json, stype = "application/json");
    create function object_json(state "application/vnd.pgrst.object", chair chairs) returns "application/vnd.pgrst.object" language sql immutable as
      $$ select '"never"'::"application/vnd.pgrst.object" $$;
    create aggregate object_of(chairs) (sfunc = object_json, stype = "application/vnd.pgrst.object");
    create function number_any(state "*/*", number numbers) returns "*/*" language sql immutable as
      $$ select concat_ws(' ', state, number.val)::"*/*" $$;
    create aggregate any_numbers(numbers) (sfunc = number_any, stype = "*/*");
    create function bright() returns setof lamps language sql stable as $$ select * from lamps where watts > 8 $$;
    create function watts() returns setof int language sql stable as $$ select watts from lamps order by id $$;
    create function watt() returns int language sql stable as $$ select 5 $$;
    create function one_dot() returns "application/vnd.dots" language sql stable as $$ select '\\xff'::bytea $$;
    create function greets() returns "*/*" language sql stable as $$ select 'hello' $$;
    create function two_ways() returns "text/x-names" language sql stable as $$ select 'none' $$;
    create function two_ways(n int) returns "application/vnd.dots" language sql stable as $$ select '\\x01'::bytea $$;
  `);
  const api = createDataApi({ pool, tables: "all", errors: "whole", plan: true });
  await api.ready();
  ask = asker<object>(api, undone(pool, {}));
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const asked = (url: string, accept?: string, more: Partial<Ask<object>> = {}) =>
  ask({ url, ...more, headers: { ...(accept === undefined ? {} : { accept }), ...more.headers } });

describe("of the rows of a table", () => {
  test("bytes", async () => {
    const answer = await asked("lamps?order=id", "application/vnd.dots");
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "application/vnd.dots", "content-range": "0-2/*" },
      bytes: Buffer.from([5, 40, 9]),
    });
    const some = await asked("lamps?watts=gt.8&order=id.desc&limit=1", "application/vnd.dots");
    expect(some.bytes).toEqual(Buffer.from([9]));
    const none = await asked("lamps?id=eq.9", "application/vnd.dots");
    expect(none).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
  });

  test("written rows", async () => {
    const body = [{ id: 7, watts: 7 }];
    const headers = { prefer: "return=representation" };
    const answer = await asked("lamps", "application/vnd.dots", { method: "POST", body, headers });
    expect(answer).toMatchObject({ status: 201, bytes: Buffer.from([7]) });
    const minimal = await asked("lamps", "application/vnd.dots", { method: "POST", body });
    expect(minimal).toMatchObject({ status: 201, body: undefined });
  });

  test("rows that a function returns", async () => {
    const answer = await asked("rpc/bright?order=id", "application/vnd.dots");
    expect(answer.bytes).toEqual(Buffer.from([40, 9]));
  });

  test.for(["lamps?select=id", "lamps?select=id,name,watts", "chairs", "rpc/watts"])(
    "not of %s",
    async (url) => {
      expect((await asked(url, "application/vnd.dots")).status).toBe(406);
    },
  );

  test("in place of what is made otherwise", async () => {
    expect(json(await asked("chairs", "application/json"))).toEqual({ chair: "oak" });
    // What has no type of its own is JSON as ever.
    expect(json(await asked("chairs"))).toEqual([{ id: 1, name: "oak" }]);
    const object = await asked("chairs?id=eq.1", "application/vnd.pgrst.object");
    expect(json(object)).toEqual({ id: 1, name: "oak" });
  });

  test("any type", async () => {
    for (const accept of [undefined, "*/*", "magic/number", "application/json"]) {
      const answer = await asked("numbers", accept);
      expect(answer).toMatchObject({ status: 200, body: "1 2" });
      expect(answer.headers["content-type"]).toBe("application/octet-stream");
    }
    expect(json(await asked("numbers?select=val", "application/json"))).toHaveLength(2);
  });
});

describe("of any rows", () => {
  test.for<[string, string]>([
    ["chairs", "(1,oak)\n"],
    ["chairs?select=name", "(oak)\n"],
    ["chairs?select=name,id", "(oak,1)\n"],
    ["rpc/watts", "5\n40\n9\n"],
    ["rpc/watt", "5\n"],
    ["lamps?select=id&id=lt.3", "(1)\n(2)\n"],
  ])("%s", async ([url, body]) => {
    expect(await asked(url, "text/tab-separated-values")).toMatchObject({
      status: 200,
      headers: { "content-type": "text/tab-separated-values" },
      body,
    });
  });

  test("unless there is something for the table", async () => {
    const answer = await asked("lamps?order=id", "text/tab-separated-values");
    expect(answer.body).toBe("lamps:desk+floor");
  });
});

describe("of a function's value", () => {
  test("the type it is named after", async () => {
    expect((await asked("rpc/one_dot", "text/html, application/vnd.dots;q=0.5")).bytes).toEqual(
      Buffer.from([255]),
    );
    expect((await asked("rpc/one_dot", "image/png")).status).toBe(406);
    expect(await asked("rpc/greets", "image/png")).toMatchObject({ body: "hello" });
    expect(await asked("rpc/greets")).toMatchObject({ status: 200, body: "hello" });
  });

  test("of each overload", async () => {
    expect(await asked("rpc/two_ways", "text/x-names")).toMatchObject({ body: "none" });
    expect((await asked("rpc/two_ways?n=1", "application/vnd.dots")).bytes).toEqual(
      Buffer.from([1]),
    );
  });
});

test("the plan of making one", async () => {
  const accept = 'application/vnd.pgrst.plan+text; for="application/vnd.dots"';
  const answer = await asked("lamps", accept);
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toContain('for="application/vnd.dots"');
  expect(answer.body).toContain("Aggregate");
});

test("nothing of it where tables are declared one by one", async () => {
  const api = createDataApi({ pool, tables: [{ name: "lamps", read: "all", hidden: ["watts"] }] });
  await api.ready();
  const headers = { accept: "application/vnd.dots" };
  expect((await asker(api)({ url: "lamps", headers })).status).toBe(406);
});

test("a column that is called as the page of rows is in the statement", async () => {
  await pool.query("create table books (page int, words int); insert into books values (3, 100)");
  const api = createDataApi({ pool, tables: "all", errors: "whole" });
  await api.ready();
  for (const [accept, body] of [
    ["text/csv", "page,words\n3,100"],
    ["text/tab-separated-values", "(3,100)\n"],
    ["application/json", '[{"page":3,"words":100}]'],
  ] as const)
    expect((await asker(api)({ url: "books", headers: { accept } })).body).toBe(body);
});
