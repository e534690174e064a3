import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { InputRow, TableDeclaration } from "./declare.ts";
import { secretPlaceholder as kept } from "./declare.ts";
import { createDataApi, type DataApi } from "./engine.ts";
import { asker, json, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/** Columns whose values do not come out, and come back as they were shown. Every write is taken back. */
let zoo: Zoo;
let api: DataApi<object>;
let ask: ReturnType<typeof asker<object>>;
const befores: InputRow[][] = [];

const tables: TableDeclaration<object>[] = [
  { name: "people", secret: ["email"], writable: ["id", "name", "email"] },
  { name: "settings", secret: ["value"], writable: ["name", "value"] },
  { name: "samples", secret: ["big"], writable: ["id", "big", "exact"] },
  { name: "places", secret: ["note", "score"], writable: ["x", "y", "note", "score"] },
  { name: "events", secret: ["person_id"], writable: [] },
  { name: "paints", secret: ["shade"], writable: [] },
  {
    name: "passports",
    secret: ["number"],
    writable: ["id", "number"],
    beforeWrite: ({ rows }: { rows: InputRow[] }) => {
      befores.push(rows);
      return Promise.resolve(rows);
    },
  },
].map((table) => ({ ...table, read: "all", write: "all" }));

beforeAll(async () => {
  zoo = await openZoo();
  api = createDataApi<object>({ pool: zoo.pool, tables });
  await api.ready();
  ask = asker(api, undone(zoo.pool, {}));
});

afterAll(() => zoo.close());

beforeEach(() => {
  befores.length = 0;
});

const headers = { prefer: "return=representation" };

describe("one secret", () => {
  test("the placeholder keeps what is stored, another value replaces it; neither is shown", async () => {
    for (const email of [kept, "new@example.org"]) {
      const body = { name: "Changed", email };
      const response = await ask({ method: "PATCH", url: "people?id=eq.1", headers, body });
      expect(json(response)).toMatchObject([{ name: "Changed", email: kept }]);
    }
    const body = { email: kept };
    const response = await ask({ method: "PATCH", url: "people?id=eq.3", headers, body });
    expect(json(response)).toMatchObject([]);
  });

  test("an insert with the placeholder sets nothing", async () => {
    const body = { id: 50, name: "New", email: kept };
    const response = await ask({ method: "POST", url: "people", headers, body });
    expect(json(response)).toMatchObject([{ id: 50, email: null }]);
  });

  test.for(["people?email=eq.ada@example.org", "people?order=email&limit=1"])(
    "DELETE %s tells nothing about it",
    async (url) => {
      expect((await ask({ method: "DELETE", url, headers })).status).toBe(400);
    },
  );

  test.for([
    "people?on_conflict=email",
    "events?select=people(name)",
    "events?select=person_id(name)",
  ])("%s is refused, because what it meets would tell it", async (url) => {
    const [method, prefer] = url.includes("on_conflict")
      ? ["POST", "resolution=merge-duplicates"]
      : ["GET", "count=exact"];
    const body = { id: 60, name: "x", email: "ada@example.org" };
    const response = await ask({ method, url, headers: { prefer }, body });
    expect([response.status, json(response)]).toMatchObject([
      400,
      { code: /on_conf/.test(url) ? "42703" : "PGRST200" },
    ]);
  });

  test("one that is shown in a way of its own shows the placeholder", async () => {
    expect(json(await ask({ url: "paints?select=id,shade&id=eq.1" }))).toEqual([
      { id: 1, shade: kept },
    ]);
  });
});

describe("a body that keeps a secret in some rows and sets it in others", () => {
  const merge = "resolution=merge-duplicates";

  /** What is stored after a write, before it is taken back. */
  async function storedAfter(
    asked: Parameters<typeof ask>[0],
    select: string,
  ): Promise<{ status: number; answer: unknown; stored: unknown[] }> {
    let stored: unknown[] = [];
    const response = await asker(api, (work, settings) =>
      undone(zoo.pool, {})(async (client, context) => {
        const done = await work(client, context);
        stored = (await client.query(select)).rows.map((row) => Object.values(row));
        return done;
      }, settings),
    )(asked);
    return { status: response.status, answer: json(response), stored };
  }

  test.for<
    [string, { url: string; prefer?: string; body: object[] | string; select: string }, unknown[]]
  >([
    [
      "an insert sets nothing where it is kept",
      {
        url: "settings",
        body: [
          { name: "a", value: kept },
          { name: "b", value: "new" },
        ],
        select: "select name, value from settings where length(name) = 1 order by name",
      },
      [
        ["a", "unset"],
        ["b", "new"],
      ],
    ],
    [
      "an upsert keeps what is stored, sets what is sent, and inserts the rest",
      {
        url: "settings",
        prefer: merge,
        body: [
          { name: "fresh", value: kept },
          { name: "theme", value: kept },
          { name: "zoom", value: "2" },
          { name: "other", value: "3" },
        ],
        select: "select name, value from settings order by name",
      },
      [
        ["fresh", "unset"],
        ["other", "3"],
        ["theme", "dark"],
        ["zoom", "2"],
      ],
    ],
    [
      "a secret that is no text, beside digits that must not change",
      {
        url: "samples",
        prefer: merge,
        body: `[
          {"id":1,"big":"${kept}","exact":0.10000000000000000000010},
          {"id":2,"big":9007199254740995,"exact":1}]`,
        select: "select id, big, exact from samples order by id",
      },
      [
        ["1", "9007199254740993", "0.10000000000000000000010"],
        ["2", "9007199254740995", "1"],
      ],
    ],
    [
      "two secrets and a key of two columns",
      {
        url: "places",
        prefer: merge,
        body: [
          { x: 1, y: "one", note: kept, score: 11 },
          { x: 1, y: "two", note: "b", score: kept },
          { x: 2, y: "one", note: kept, score: kept },
          { x: 9, y: "one", note: kept, score: 12 },
        ],
        select: "select x, y, note, score from places order by x, y",
      },
      [
        [1, "one", "first", 11],
        [1, "two", "b", 20],
        [2, "one", "third", 30],
        [9, "one", "none", 12],
      ],
    ],
    [
      "a row that says nothing of it means null",
      {
        url: "places?columns=x,y,note",
        prefer: merge,
        body: [
          { x: 1, y: "one" },
          { x: 1, y: "two", note: kept },
          { x: 9, y: "one", note: "new" },
        ],
        select: "select x, y, note from places where x <> 2 order by x, y",
      },
      [
        [1, "one", null],
        [1, "two", "second"],
        [9, "one", "new"],
      ],
    ],
    [
      "where defaults are asked for, a row that says nothing of it keeps it too",
      {
        url: "settings?columns=name,value",
        prefer: `${merge},missing=default`,
        body: [{ name: "theme" }, { name: "zoom", value: kept }, { name: "a", value: "new" }],
        select: "select name, value from settings order by name",
      },
      [
        ["a", "new"],
        ["theme", "dark"],
        ["zoom", "1"],
      ],
    ],
  ])("%s", async ([, { url, prefer = "", body, select }, expected]) => {
    const { status, answer, stored } = await storedAfter(
      { method: "POST", url, headers: { prefer: `return=representation,${prefer}` }, body },
      select,
    );
    expect(status).toBeLessThan(202);
    expect(stored).toEqual(expected);
    // Rows come back in the order in which they were sent, with what may be seen of them.
    const sent = (typeof body === "string" ? JSON.parse(body) : body) as Record<string, unknown>[];
    const visible = (row: Record<string, unknown>) => [row["id"], row["name"], row["x"], row["y"]];
    expect((answer as Record<string, unknown>[]).map(visible)).toEqual(sent.map(visible));
    expect(JSON.stringify(answer)).not.toMatch(/"(?:new|dark|unset)"|90071992547/);
  });

  test("an update takes the first row, whatever the others say", async () => {
    const { stored } = await storedAfter(
      {
        method: "PATCH",
        url: "settings?name=eq.theme",
        headers,
        body: [{ value: "light" }, { value: kept }],
      },
      "select value from settings where name = 'theme'",
    );
    expect(stored).toEqual([["light"]]);
  });

  test("hooks see no placeholder", async () => {
    const body = [
      { id: 2, number: kept },
      { id: 4, number: "P4" },
    ];
    const { stored } = await storedAfter(
      { method: "POST", url: "passports", headers, body },
      "select id, number from passports where id in (2, 4) order by id",
    );
    expect(befores).toEqual([[{ id: 2 }, body[1]]]);
    expect(stored).toEqual([
      [2, null],
      [4, "P4"],
    ]);
  });
});
