import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, json, openZoo, type Zoo } from "./testing/zoo.ts";

const now = new Date("2024-02-03T12:00:00Z");

/** A part of the test schema: `blurbs` does not exist outside, and some columns do not. */
const tables: TableDeclaration[] = [
  { name: "books", read: "books", hidden: ["price", "editor_id"] },
  { name: "people", read: "people", columns: ["id", "name"] },
  { name: "publishers", read: "publishers" },
  { name: "genres", read: "genres" },
  { name: "book_genres", read: "links" },
  { name: "reviews", read: "reviews" },
  { name: "active_books", read: "books" },
];

let zoo: Zoo;
let ask: ReturnType<typeof asker>;

beforeAll(async () => {
  zoo = await openZoo();
  const functions = [
    { name: "books_of", resource: "books" },
    { name: "rename_genre", resource: "genres" },
  ];
  const api = createDataApi({ pool: zoo.pool, tables, functions, maxRows: 4, now: () => now });
  await api.ready();
  ask = asker(api);
});

afterAll(() => zoo.close());

const ids = async (url: string) =>
  (json(await ask({ url })) as { id: number }[]).map(({ id }) => id);

describe("what is not declared does not exist", () => {
  test.for(["blurbs", "nothing", "", "rpc/add_numbers", "pg_class", "books/1", "public.books"])(
    "%s answers 404 without a word",
    async (url) => {
      expect(await ask({ url })).toMatchObject({ status: 404, body: "" });
    },
  );

  test.for([
    "books?select=price",
    "books?select=id,price::text",
    "books?price=gt.1",
    "books?price.filter=1",
    "books?order=price",
    "books?or=(price.gt.1,id.eq.1)",
    "books?select=id,p:price",
    "books?select=id,people!created_by(email)",
    "books?select=id,created_by(email)",
    "books?select=id,created_by(name)&created_by.email=like.*",
    "books?select=id,created_by(name)&created_by.order=email",
    "people?email=is.null",
  ])("%s names a hidden column", async (url) => {
    const response = await ask({ url });
    expect(response.status).toBe(400);
    expect(json(response)).toMatchObject({ code: "42703", hint: null, details: null });
  });

  test.for([
    "books?select=id,blurbs(*)",
    "books?select=id,editor_id(name)",
    "books?select=id,people!editor_id(name)",
  ])("%s embeds by what is hidden", async (url) => {
    const response = await ask({ url });
    expect([response.status, json(response)]).toMatchObject([400, { code: "PGRST200" }]);
  });

  test("a star shows the visible columns only", async () => {
    const [book] = json(await ask({ url: "books?id=eq.1" })) as object[];
    expect(Object.keys(book ?? {})).not.toContain("price");
    expect(Object.keys(book ?? {})).not.toContain("editor_id");
    expect(json(await ask({ url: "books?select=created_by(*)&id=eq.1" }))).toEqual([
      { created_by: { id: 1, name: "Ada" } },
    ]);
  });

  test("a hidden relationship is not ambiguous with the visible one", async () => {
    expect(json(await ask({ url: "books?select=people(name)&id=eq.2" }))).toEqual([
      { people: { name: "Grace" } },
    ]);
  });
});

describe("what may not be read is refused", () => {
  const without = (resource: string) => (asked: string) => asked !== resource;

  test.for<[string, string]>([
    ["books", "books"],
    ["active_books?select=id", "books"],
    ["books?select=id,created_by(name)", "people"],
    ["books?select=id,reviews()", "reviews"],
    ["books?select=id,reviews(people(name))", "people"],
    ["books?select=id,genres(name)", "genres"],
    ["books?select=id,genres(name)", "links"],
    ["rpc/books_of?publisher=1", "books"],
    ["rpc/books_of?publisher=1&select=publishers(name)", "publishers"],
  ])("%s without %s", async ([url, resource]) => {
    const response = await ask({ url, can: without(resource), headers: { prefer: "count=exact" } });
    const message = `You do not have permission to read ${resource}.`;
    expect(response).toMatchObject({
      status: 403,
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    expect(json(response)).toEqual({
      code: "42501",
      details: null,
      hint: null,
      message,
      error: message,
    });
    expect(response.headers).not.toHaveProperty("content-range");
  });

  test.for(["POST", "PUT", "PATCH", "DELETE"])("%s on a table without write", async (method) => {
    expect(await ask({ method, url: "books?id=eq.1", body: {} })).toMatchObject({ status: 403 });
  });

  test("TRACE is no method here", async () => {
    expect(await ask({ method: "TRACE", url: "books" })).toMatchObject({
      status: 405,
      headers: { allow: "OPTIONS, GET, HEAD" },
    });
  });

  test("a function that changes rows cannot be called by GET, nor without leave to write", async () => {
    const url = "rpc/rename_genre";
    expect((await ask({ url: `${url}?genre=1&new_name=x` })).status).toBe(405);
    expect((await ask({ method: "POST", url, body: { genre: 1, new_name: "x" } })).status).toBe(
      403,
    );
  });
});

describe("the calls of the reference console", () => {
  test("a leading &, doubled &, spaces and a stray bracket do not matter", async () => {
    const plain = await ask({ url: "books?select=id,created_by(id,name)&order=id.desc&limit=2" });
    const odd = await ask({
      url: "books?&&select=id,+created_by(id,%20name))&&order=id.desc&limit=2&order=title&",
    });
    expect([odd.status, odd.body]).toEqual([plain.status, plain.body]);
    expect(plain).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json; charset=utf-8", "content-range": "0-1/*" },
      body: '[{"id":5,"created_by":{"id":4,"name":"O\'Neil, \\"Shaq\\""}}, \n {"id":4,"created_by":null}]',
    });
  });

  test("an embed takes the place of the column of its name", async () => {
    const [book] = json(await ask({ url: "books?select=*,created_by(name)&id=eq.1" })) as Record<
      string,
      unknown
    >[];
    expect(book?.["created_by"]).toEqual({ name: "Ada" });
    const { body } = await ask({ url: "books?select=*,created_by(name)&id=eq.1" });
    expect(body?.match(/"created_by"/g)).toHaveLength(1);
  });

  test("a JSON key may have dots and a slash", async () => {
    expect(await ids("books?select=id&attributes->>app.kubernetes.io/name=eq.sea")).toEqual([1]);
    expect(await ids("books?select=id&attributes-%3E%3Eapp.kubernetes.io%2Fname=eq.sea")).toEqual([
      1,
    ]);
  });

  test.for<[string, number[]]>([
    ["mood.filter=ok", [2, 4]],
    ["mood.filter=ok,sad", [2, 3, 4]],
    ["mood.filter=!ok", [1, 3, 5]],
    ["mood.filter=!ok&mood.filter=ok", [1, 3, 5]],
    ["title.filter=Sea*", [1]],
    ["title.filter=*guide", [2]],
    ["title.filter=!Sea*", [1, 2, 3, 4]],
    ["title.filter=S*,*s", [1]],
    ["title.filter=", [1, 2, 3, 4]],
    ["published_at.filter=now-2y", [5]],
    ["published_at.filter=>now-1M", [4]],
    ["published_at.filter==2023-05-01T10:00:00Z", [1]],
    ["published_at.filter=<2023-06-01||/M", [1, 5]],
  ])("%s", async ([filter, expected]) => {
    expect(await ids(`books?select=id&order=id&limit=4&${filter}`)).toEqual(expected);
  });

  test("a date expression that is none is refused", async () => {
    const response = await ask({ url: "books?published_at.filter=soon" });
    expect([response.status, json(response)]).toMatchObject([400, { code: "PGRST100" }]);
  });

  test.for<[string, number[]]>([
    ["1", [1, 2, 4]],
    ["0", [3, 5]],
    ["true", [1, 2, 4]],
  ])("in_print=eq.%s on a boolean", async ([value, expected]) => {
    expect(await ids(`books?select=id&order=id&in_print=eq.${value}`)).toEqual(expected);
  });

  test("a function's result takes .filter and filters", async () => {
    expect(
      await ids("rpc/books_of?publisher=1&min_pages=1&mood.filter=!ok&title=ilike.*sea*&select=id"),
    ).toEqual([1]);
  });
});

describe("pages and counts", () => {
  test.for<[string, number, string]>([
    ["books?select=id&order=id&limit=2", 206, "0-1/5"],
    ["books?select=id&order=id&limit=2&offset=4", 206, "4-4/5"],
    ["books?select=id&mood=eq.sad", 200, "0-0/1"],
    ["books?select=id&id=eq.77", 200, "*/0"],
  ])("%s", async ([url, status, range]) => {
    const response = await ask({ url, headers: { prefer: "count=exact" } });
    expect([response.status, response.headers["content-range"]]).toEqual([status, range]);
    expect(response.headers["preference-applied"]).toBe("count=exact");
  });

  test("an answer that is cut says so without being asked", async () => {
    for (const url of ["books?select=id&order=id", "books?select=id&order=id&limit=50"]) {
      const response = await ask({ url });
      expect([response.status, response.headers["content-range"]]).toEqual([206, "0-3/5"]);
      expect(json(response)).toHaveLength(4);
    }
    expect((await ask({ url: "books?select=id&order=id&limit=4" })).headers["content-range"]).toBe(
      "0-3/*",
    );
    expect((await ask({ url: "books?select=id&id=lt.3" })).headers["content-range"]).toBe("0-1/*");
  });

  test("an offset beyond the end is 416", async () => {
    const response = await ask({ url: "books?offset=9", headers: { prefer: "count=exact" } });
    expect(response.status).toBe(416);
    expect(response.headers["content-range"]).toBe("*/5");
    expect(json(response)).toEqual({
      code: "PGRST103",
      details: "An offset of 9 was requested, but there are only 5 rows.",
      hint: null,
      message: "Requested range not satisfiable",
    });
  });

  test("HEAD has the headers and no body", async () => {
    const response = await ask({
      method: "HEAD",
      url: "books?limit=1",
      headers: { prefer: "count=planned" },
    });
    expect(response).toMatchObject({
      status: 206,
      headers: { "content-range": expect.stringMatching(/^0-0\/\d+$/) },
      body: undefined,
    });
  });

  test("one object", async () => {
    const headers = { accept: "application/vnd.pgrst.object+json" };
    expect(await ask({ url: "books?select=id&id=eq.1", headers })).toMatchObject({
      status: 200,
      headers: { "content-type": "application/vnd.pgrst.object+json; charset=utf-8" },
      body: '{"id":1}',
    });
    expect(json(await ask({ url: "books?select=id", headers }))).toMatchObject({
      code: "PGRST116",
      details: "The result contains 4 rows",
    });
  });
});

describe("one statement", () => {
  test("a read is one statement, prepared when it comes again", async () => {
    const seen: { name?: string; text: string }[] = [];
    const own = new pg.Pool({ connectionString: zoo.url });
    const pool = {
      async connect() {
        const client = await own.connect();
        return {
          query(statement: { name?: string; text: string; values?: unknown[] }) {
            seen.push(statement);
            return client.query(statement);
          },
          release: (destroy?: boolean) => client.release(destroy),
        };
      },
    };
    const api = createDataApi({ pool, ownPool: true, tables });
    await api.ready();
    const askSeen = asker(api);
    const url = (id: number) =>
      `books?select=*,created_by(name),reviews(stars),genres(name)&id=eq.${id}&limit=5`;
    await askSeen({ url: url(1), headers: { prefer: "count=exact" } });
    const before = seen.length;
    for (const id of [2, 3]) {
      const response = await askSeen({ url: url(id), headers: { prefer: "count=exact" } });
      expect(json(response)).toMatchObject([{ id }]);
    }
    const reads = seen.slice(before).filter(({ text }) => !text.includes("set_config('default_"));
    expect(reads).toHaveLength(2);
    expect(reads[0]?.text).toBe(reads[1]?.text);
    expect(reads.every(({ name }) => name !== undefined && name.length < 64)).toBe(true);
    await own.end();
  });

  test.for([true, false])("reads end in time and change nothing, own pool: %s", async (ownPool) => {
    const pool = new pg.Pool({ connectionString: zoo.url, max: 1 });
    await pool.query(`
      create or replace view slow as select id, pg_sleep(10)::text as nap from people;
      create sequence if not exists drawn;
      create or replace view lots as select nextval('drawn') as lot`);
    const declared = ["slow", "lots", "genres"].map((name) => ({ name, read: "x" }));
    const askThere = asker(
      createDataApi({ pool, ownPool, tables: declared, statementTimeoutMs: 50 }),
    );
    const slow = await askThere({ url: "slow" });
    expect([slow.status, json(slow)]).toMatchObject([504, { code: "57014" }]);
    const lots = await askThere({ url: "lots" });
    expect([lots.status, json(lots)]).toMatchObject([405, { code: "25006" }]);
    expect((await askThere({ url: "genres" })).status).toBe(200);
    const { rows } = await pool.query("show statement_timeout");
    expect(rows).toEqual([{ statement_timeout: ownPool ? "50ms" : "0" }]);
    await pool.end();
  });

  test("an answer that is too large is refused with its size", async () => {
    const api = createDataApi({ pool: zoo.pool, tables, maxBytes: 100 });
    const response = await asker(api)({ url: "books" });
    expect([response.status, json(response)]).toMatchObject([400, { code: "54000" }]);
  });

  test("a lost database is 503", async () => {
    const api = createDataApi({
      pool: { connect: () => Promise.reject(new Error("refused at 10.0.0.1")) },
      tables,
    });
    const response = await asker(api)({ url: "books" });
    expect([response.status, json(response)]).toMatchObject([503, { code: "PGRST000" }]);
    expect(response.body).not.toContain("10.0.0.1");
  });
});

describe("declarations", () => {
  test.for<[string, TableDeclaration[]]>([
    ["no such table", [{ name: "nope", read: "x" }]],
    ['the column "nope"', [{ name: "books", read: "x", hidden: ["nope"] }]],
    ["which columns are writable", [{ name: "books", read: "x", write: "x" }]],
    [
      "writable but hidden",
      [{ name: "books", read: "x", write: "x", hidden: ["price"], writable: ["price"] }],
    ],
    [
      "declares insert, which its view",
      [{ name: "active_books", read: "x", write: "x", writable: [] }],
    ],
    [
      "declared twice",
      [
        { name: "books", read: "x" },
        { name: "books", read: "x" },
      ],
    ],
  ])("%s", async ([message, wrong]) => {
    await expect(createDataApi({ pool: zoo.pool, tables: wrong }).ready()).rejects.toThrow(message);
  });

  test("a schema that has changed is read again", async () => {
    const api = createDataApi({ pool: zoo.pool, tables: [{ name: "genres", read: "x" }] });
    expect((await asker(api)({ url: "genres?select=added" })).status).toBe(400);
    await zoo.pool.query("alter table genres add column added int");
    await api.reload();
    expect((await asker(api)({ url: "genres?select=added" })).status).toBe(200);
    await zoo.pool.query("alter table genres drop column added");
    const response = await asker(api)({ url: "genres?select=added" });
    expect([response.status, json(response)]).toMatchObject([
      503,
      { hint: "Try again in a moment." },
    ]);
  });
});
