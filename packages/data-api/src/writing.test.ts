import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, countRows, json, kept, openZoo, type Zoo } from "./testing/zoo.ts";

let zoo: Zoo;
let ask: ReturnType<typeof asker<object>>;

const tables: TableDeclaration<object>[] = [
  {
    name: "books",
    read: "books",
    write: "books",
    hidden: ["price"],
    writable: [
      "id",
      "title",
      "mood",
      "pages",
      "tags",
      "attributes",
      "publisher_id",
      "deleted_at",
      "words",
    ],
    ignoreReadOnly: true,
  },
  {
    name: "reviews",
    read: "reviews",
    write: "reviews",
    writable: ["id", "book_id", "stars", "body"],
    // Which makes an upsert impossible.
    beforeWrite: ({ rows }) => Promise.resolve(rows),
  },
  { name: "publishers", read: "publishers" },
  { name: "genres", read: "genres", write: "genres", writable: ["id", "name"], verbs: ["insert"] },
  {
    name: "people",
    read: "people",
    write: "people",
    writable: ["id", "name"],
    columns: ["id", "name"],
  },
];

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi<object>({ pool: zoo.pool, tables });
  await api.ready();
  ask = asker(api, kept(zoo.pool, {}));
});

afterAll(() => zoo.close());

const shown = { prefer: "return=representation" };
const count = (table: string, where: string) => countRows(zoo, table, where);

describe("POST", () => {
  test("one row comes back as a list, typed by PostgreSQL", async () => {
    const body = {
      id: 201,
      title: "One",
      tags: ["a", "b"],
      attributes: { k: [1] },
      deleted_at: "now()",
    };
    const response = await ask({
      method: "POST",
      url: "books?select=id,tags,attributes,deleted_at,publishers(name)",
      headers: shown,
      body,
    });
    expect(response).toMatchObject({
      status: 201,
      headers: { "content-range": "*/*", "preference-applied": "return=representation" },
    });
    const [row] = json(response) as { deleted_at: string }[];
    expect(row).toMatchObject({
      id: 201,
      tags: ["a", "b"],
      attributes: { k: [1] },
      publishers: null,
    });
    expect(Math.abs(Date.parse(row?.deleted_at ?? "") - Date.now())).toBeLessThan(60_000);
  });

  test("many rows", async () => {
    const body = [
      { id: 202, title: "Two" },
      { id: 203, title: "Three" },
    ];
    const response = await ask({ method: "POST", url: "books?select=id", headers: shown, body });
    expect(json(response)).toEqual([{ id: 202 }, { id: 203 }]);
    expect(await count("books", "id in (202, 203)")).toBe(2);
  });

  test("nothing comes back unless asked", async () => {
    const response = await ask({ method: "POST", url: "books", body: { id: 204, title: "Four" } });
    expect(response).toMatchObject({ status: 201, body: undefined });
    const located = await ask({
      method: "POST",
      url: "books",
      body: { id: 205, title: "x" },
      headers: { prefer: "return=headers-only" },
    });
    expect(located.headers["location"]).toBe("/books?id=eq.205");
  });

  test("read-only columns are dropped where declared, and refused where not", async () => {
    const response = await ask({
      method: "POST",
      url: "books?select=id,created_at,words",
      headers: shown,
      body: { id: 206, title: "sea", created_at: "1999-01-01T00:00:00Z", words: "'x'" },
    });
    expect(json(response)).toEqual([
      { id: 206, created_at: "2024-01-01T00:00:00+00:00", words: "'sea':1" },
    ]);
    const refused = await ask({ method: "POST", url: "reviews", body: { stars: 1, at: "now()" } });
    expect([refused.status, json(refused)]).toMatchObject([400, { code: "428C9" }]);
  });

  test.for<[unknown, number, string]>([
    [{ id: 207, title: "x", price: 1 }, 400, "PGRST204"],
    [{ id: 207, nope: 1 }, 400, "PGRST204"],
    [{ id: 1, title: "taken" }, 409, "23505"],
    [{ id: 207, title: null }, 400, "23502"],
    [{ id: 207, title: "x", publisher_id: 99 }, 409, "23503"],
    [{ id: "x", title: "x" }, 400, "22P02"],
    [{ id: 207, title: "x", mood: "bad" }, 400, "22P02"],
    [[{ id: 207, title: "x" }, { id: 208 }], 400, "PGRST102"],
    ["{", 400, "PGRST102"],
    ["", 400, "PGRST102"],
    ["[[1]]", 400, "PGRST102"],
    ['{"title":"\\u0000"}', 400, "22P05"],
  ])("%j is refused", async ([body, status, code]) => {
    const response = await ask({ method: "POST", url: "books", headers: shown, body });
    expect([response.status, json(response)]).toMatchObject([status, { code }]);
    expect(await count("books", "id in (207, 208)")).toBe(0);
  });

  test("no row is quoted from a table that hides columns", async () => {
    const hidden = json(
      await ask({ method: "POST", url: "books", body: { id: 207, title: null } }),
    );
    expect(hidden).toMatchObject({ code: "23502", details: null });
    const open = json(await ask({ method: "POST", url: "genres", body: { id: 1, name: "x" } }));
    expect(open).toMatchObject({ code: "23505", details: "Key (id)=(1) already exists." });
    const { message, error } = open as { message: string; error: string };
    expect(error).toBe(message);
  });
});

describe("upsert", () => {
  const prefer = "return=representation,resolution=merge-duplicates";

  test("changes the rows that are there and inserts the others", async () => {
    const body = [
      { id: 202, title: "Zwei" },
      { id: 210, title: "Ten" },
    ];
    const response = await ask({
      method: "POST",
      url: "books?select=id,title",
      headers: { prefer },
      body,
    });
    expect(json(response)).toEqual(body);
    expect(await count("books", "title in ('Zwei', 'Ten')")).toBe(2);
  });

  test.for(["genres", "reviews"])(
    "is refused on %s, whose rules are for one or the other",
    async (table) => {
      const response = await ask({
        method: "POST",
        url: table,
        headers: { prefer },
        body: { id: 1 },
      });
      expect([response.status, json(response)]).toMatchObject([400, { code: "PGRST127" }]);
    },
  );

  test("missing=default fills what a row leaves out", async () => {
    const response = await ask({
      method: "POST",
      url: "books?columns=id,title,mood,pages&select=mood,pages",
      headers: { prefer: "missing=default, return=representation" },
      body: [
        { id: 211, title: "x" },
        { id: 212, title: "y", mood: "sad", pages: 71 },
      ],
    });
    expect([response.status, json(response)]).toEqual([
      201,
      [
        { mood: "ok", pages: null },
        { mood: "sad", pages: 71 },
      ],
    ]);
  });
});

describe("PATCH and DELETE", () => {
  test("a whole row sent back changes what is writable", async () => {
    const [row] = json(await ask({ url: "books?id=eq.2" })) as object[];
    const response = await ask({
      method: "PATCH",
      url: "books?id=eq.2",
      headers: shown,
      body: { ...row, title: "Hills" },
    });
    expect(response.status).toBe(200);
    expect(response.headers["content-range"]).toBe("0-0/*");
    expect(json(response)).toEqual([{ ...row, title: "Hills", words: "'hill':1" }]);
  });

  test("no row is an empty list", async () => {
    const response = await ask({
      method: "PATCH",
      url: "books?id=eq.77",
      headers: shown,
      body: { pages: 1 },
    });
    expect(response).toMatchObject({
      status: 200,
      headers: { "content-range": "*/*" },
      body: "[]",
    });
    expect(await ask({ method: "PATCH", url: "books?id=eq.77", body: { pages: 1 } })).toMatchObject(
      { status: 204, body: undefined },
    );
  });

  test("filters of all kinds choose the rows", async () => {
    const response = await ask({
      method: "PATCH",
      url: "books?or=(id.eq.4,and(mood.eq.happy,pages.gt.200))&title.filter=!Sea stories&select=id&order=title",
      headers: shown,
      body: { pages: 999 },
    });
    expect(json(response)).toEqual([{ id: 4 }, { id: 5 }]);
    expect(await count("books", "pages = 999")).toBe(2);
  });

  test.for([
    "books?limit=1",
    "books?offset=1",
    "books?publishers.name=eq.North",
    "books?select=id,publishers(name)&publishers.name=eq.North",
  ])("DELETE %s is refused rather than done to all rows", async (url) => {
    for (const headers of [shown, {}]) {
      expect((await ask({ method: "DELETE", url, headers })).status).toBe(400);
    }
    expect(await count("books", "true")).toBeGreaterThan(1);
  });

  test("one object or nothing is changed", async () => {
    const headers = { ...shown, accept: "application/vnd.pgrst.object+json" };
    const response = await ask({
      method: "PATCH",
      url: "books?id=in.(1,2)",
      headers,
      body: { pages: 7 },
    });
    expect([response.status, json(response)]).toMatchObject([406, { code: "PGRST116" }]);
    expect(await count("books", "pages = 7")).toBe(0);
  });

  test("deleted rows come back with their embeds", async () => {
    const response = await ask({
      method: "DELETE",
      url: "reviews?id=eq.3&select=id,books(id)",
      headers: shown,
    });
    expect([response.status, json(response)]).toEqual([200, [{ id: 3, books: { id: 2 } }]]);
    expect(await count("reviews", "id = 3")).toBe(0);
  });

  test.for(["PATCH", "DELETE"])("%s is closed where only insert is open", async (method) => {
    const response = await ask({ method, url: "genres?id=eq.1", body: {} });
    expect(response).toMatchObject({ status: 405, headers: { allow: "OPTIONS, GET, HEAD, POST" } });
  });
});
