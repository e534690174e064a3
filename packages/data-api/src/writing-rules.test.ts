import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AfterWrite, InputRow, TableDeclaration } from "./declare.ts";
import { createDataApi } from "./engine.ts";
import { asker, json, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/** What of a write is the program's own: hooks, rows of others. Every write is taken back. */
let zoo: Zoo;
let ask: ReturnType<typeof asker<object>>;
const befores: InputRow[][] = [];
const afters: Record<string, unknown>[][] = [];

const remember = ({ rows }: AfterWrite<object>): Promise<void> => {
  afters.push(rows);
  return Promise.resolve();
};

const tables: TableDeclaration<object>[] = [
  {
    name: "samples",
    read: "all",
    write: "all",
    writable: ["id", "big", "exact", "doc", "numbers"],
    beforeWrite: ({ rows }) => {
      befores.push(rows);
      return Promise.resolve(rows);
    },
    afterWrite: remember,
  },
  {
    name: "places",
    read: "all",
    write: "all",
    writable: ["x", "y", "note", "score"],
    rowRule: (column) => sql`${column("y")} = 'one'`,
    afterWrite: remember,
  },
];

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi<object>({ pool: zoo.pool, tables });
  await api.ready();
  ask = asker(api, undone(zoo.pool, {}));
});

afterAll(() => zoo.close());

beforeEach(() => {
  befores.length = 0;
  afters.length = 0;
});

const headers = { prefer: "return=representation" };

describe("numbers keep their digits through hooks", () => {
  test.for([
    '{"big":9007199254740993}',
    '{"exact":0.12345678901234567890123}',
    '{"exact":-123456789012345678901234567890}',
    '{"doc":{"deep":[9007199254740993]}}',
  ])("%s", async (body) => {
    const key = Object.keys(JSON.parse(body) as object).join("");
    for (const [method, url] of [
      ["POST", "samples"],
      ["PATCH", "samples?id=eq.2"],
    ] as const) {
      const mark = url.includes("?") ? "&" : "?";
      const response = await ask({ method, url: `${url}${mark}select=${key}`, headers, body });
      expect(response.body?.replaceAll(" ", "")).toBe(`[${body}]`);
    }
  });

  test("those that lose nothing are numbers, the others write themselves out", async () => {
    await ask({ method: "POST", url: "samples", body: '{"big":12,"exact":2.50,"numbers":[1e3]}' });
    expect(befores).toEqual([[{ big: 12, exact: 2.5, numbers: [1000] }]]);
    await ask({ method: "DELETE", url: "samples?id=eq.1" });
    expect(JSON.stringify(afters.at(-1)?.[0])).toContain('"big":9007199254740993');
  });
});

describe("a role that may write and not read", () => {
  const role = "data_api_test_writer";
  const asWriter: NonNullable<Parameters<typeof asker<object>>[1]> = (work, settings) =>
    undone(zoo.pool, {})(async (client, context) => {
      await client.query(
        `create role ${role}; grant insert on keyless to ${role}; grant update (note), select (x) on places to ${role}; set local role ${role}`,
      );
      return work(client, context);
    }, settings);

  test.for<[string, string, string, unknown, number]>([
    ["POST", "keyless", "return=minimal", { a: "x" }, 201],
    ["POST", "keyless", "count=exact", [{}, {}], 201],
    ["POST", "keyless", "return=representation", { a: "x" }, 403],
    ["PATCH", "places", "return=minimal", { note: "x" }, 204],
    ["PATCH", "places?x=eq.1", "return=minimal", { note: "x" }, 204],
    ["PATCH", "places?x=eq.1&select=x", "return=representation", { note: "x" }, 200],
    ["PATCH", "places?y=eq.one", "return=minimal", { note: "x" }, 403],
  ])("%s %s %s", async ([method, url, prefer, body, status]) => {
    const api = createDataApi<object>({ pool: zoo.pool, tables: "all", errors: "whole" });
    await api.ready();
    const response = await asker(api, asWriter)({ method, url, headers: { prefer }, body });
    expect(response.status).toBe(status);
  });
});

describe("rows that a rule hides", () => {
  test.for(["PATCH", "DELETE"])("%s leaves them alone", async (method) => {
    const change = (url: string) => ask({ method, url, headers, body: { note: "changed" } });
    expect(json(await change("places?select=x,y&x=eq.1"))).toEqual([{ x: 1, y: "one" }]);
    expect(json(await change("places?select=x,y&y=eq.two"))).toEqual([]);
    // Ordered like a visible row, and still not changed with it.
    expect(json(await change("places?select=x,y&order=x&limit=1"))).toEqual([{ x: 1, y: "one" }]);
    expect(afters.map((rows) => rows.map(({ x, y }) => [x, y]))).toEqual([
      [[1, "one"]],
      [],
      [[1, "one"]],
    ]);
  });
});

test("a column may be called as what the statement calls its rows", async () => {
  await zoo.pool.query(
    "create table elements (id int primary key, element text default 'x', sent text, body text)",
  );
  const writable = ["id", "element", "sent", "body"];
  const api = createDataApi<object>({
    pool: zoo.pool,
    tables: [{ name: "elements", read: "all", write: "all", writable }],
  });
  await api.ready();
  const response = await asker(
    api,
    undone(zoo.pool, {}),
  )({
    method: "POST",
    url: "elements?columns=id,element,sent,body",
    headers: { prefer: "return=representation,missing=default" },
    body: [
      { id: 1, sent: "s", body: "b" },
      { id: 2, element: "e" },
    ],
  });
  expect(json(response)).toEqual([
    { id: 1, element: "x", sent: "s", body: "b" },
    { id: 2, element: "e", sent: null, body: null },
  ]);
});
