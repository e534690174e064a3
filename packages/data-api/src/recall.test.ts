import fc from "fast-check";
import { raw } from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataApi, type DataApi } from "./engine.ts";
import { corpus, type CorpusRequest } from "./testing/corpus.ts";
import { fuzzRun } from "./testing/fuzz-run.ts";
import {
  canAsk,
  guardedFunctions,
  guardedTables,
  openWorlds,
  worlds,
} from "./testing/guarded-zoo.ts";
import { requests } from "./testing/hostile-requests.ts";
import {
  type Ask,
  asker,
  json,
  openDeclarations,
  openZoo,
  undone,
  type Zoo,
} from "./testing/zoo.ts";

/** What is planned once and asked again with other values answers as if it had been planned anew. */

let zoo: Zoo;
let guarded: Zoo;

beforeAll(async () => {
  zoo = await openZoo();
  [guarded] = (await openWorlds(worlds)) as [Zoo, ...Zoo[]];
});

afterAll(() => Promise.all([zoo.close(), guarded.close()]));

const open = async (): Promise<DataApi<object>> => {
  const api = createDataApi<object>({
    pool: zoo.pool,
    ...(await openDeclarations(zoo.pool)),
    aggregates: true,
    plan: true,
  });
  await api.ready();
  return api;
};

const facts = ({
  status,
  headers,
  body,
  bytes,
}: Awaited<ReturnType<DataApi<object>["handle"]>>) => ({
  status,
  headers,
  body,
  bytes,
});

describe("the same three times", () => {
  const readings = corpus.filter(({ method }) => method === "GET" || method === "HEAD");

  test(`${readings.length} readings`, async () => {
    const ask = asker(await open());
    const told = async (request: CorpusRequest) => facts(await ask(request));
    for (const request of readings) {
      const first = await told(request);
      const label = `${request.method} ${request.url}`;
      expect([label, await told(request)]).toEqual([label, first]);
      expect([label, await told(request)]).toEqual([label, first]);
    }
  });
});

describe("other values", () => {
  /** Asks for each value after its like has been asked for three times, and asks a new one the same. */
  async function compare(urls: readonly string[]): Promise<void> {
    const known = asker(await open());
    for (const url of [...urls, ...urls, ...urls]) await known({ url });
    for (const url of urls) {
      const fresh = asker(await open());
      expect([url, facts(await known({ url }))]).toEqual([url, facts(await fresh({ url }))]);
    }
  }

  test.for<[string, ...string[]]>([
    ["books?id=eq.1", "books?id=eq.2", "books?id=eq.x", "books?id=eq.", "books?id=eq.99999999999"],
    [
      "books?title=neq.a&id=gt.1",
      "books?title=neq.Sea%20stories&id=gt.3",
      "books?title=neq.&id=gt.0",
    ],
    ["books?id=not.gte.3&select=id", "books?id=not.gte.1&select=id"],
    // Values that look as if they were more than that.
    ["books?title=eq.a", "books?title=eq.eq.a", "books?title=eq.%00", "books?title=eq.a%26id=eq.1"],
    ["books?title=eq.a&id=eq.1", "books?title=eq.a%3A2%3Aid&id=eq.1", "books?title=eq.1&id=eq.1:a"],
    ["books?id=eq.1&id=eq.2", "books?id=eq.2&id=eq.2"],
    ["books?attributes->>lang=eq.en", "books?attributes->>lang=eq.de"],
    [
      "books?select=id,reviews(stars)&reviews.stars=eq.5",
      "books?select=id,reviews(stars)&reviews.stars=eq.3",
    ],
    ["books?limit=1&id=gt.0", "books?limit=2&id=gt.0"],
    ["books?order=id.eq.1", "books?order=id", "books?order=title"],
    ["books?id=in.(1,2)", "books?id=in.(2)", "books?title=like.*a*", "books?title=like.*b*"],
    [
      "rpc/add_numbers?a=1&b=2",
      "rpc/add_numbers?a=3&b=4",
      "rpc/add_numbers?a=x&b=4",
      "rpc/add_numbers?a=1&a=5&b=4",
    ],
    [
      "rpc/books_of?publisher=1",
      "rpc/books_of?publisher=2",
      "rpc/books_of?publisher=eq.1",
      "rpc/books_of?publisher=",
    ],
    ["rpc/books_of?publisher=1&id=gt.1", "rpc/books_of?publisher=1&id=gt.2"],
    ["rpc/echo_json?value=1", 'rpc/echo_json?value="x"', "rpc/echo_json?value=null"],
  ])("%s", (urls) => compare(urls));

  test("a form of another header", async () => {
    const ask = asker(await open());
    const url = "books?id=gt.1&order=id";
    const headers: Record<string, string>[] = [
      {},
      { accept: "text/csv" },
      { prefer: "count=exact" },
      { range: "0-1" },
      { accept: "application/vnd.pgrst.object+json" },
      { prefer: "count=planned" },
      { prefer: "timezone=Asia/Tokyo" },
    ];
    for (let turn = 0; turn < 3; turn += 1)
      for (const one of headers) await ask({ url, headers: one });
    for (const one of headers) {
      const fresh = asker(await open());
      expect(facts(await ask({ url, headers: one }))).toEqual(
        facts(await fresh({ url, headers: one })),
      );
    }
  });

  test("inserts", async () => {
    const api = await open();
    const rows = [
      { id: 11, name: "eleven" },
      { name: "twelve", id: 12 },
      { id: 13, name: "x" },
      [
        { id: 14, name: "a" },
        { id: 15, name: "b" },
      ],
    ];
    const written = createDataApi({
      pool: zoo.pool,
      writePool: zoo.pool,
      ...(await openDeclarations(zoo.pool)),
    });
    await written.ready();
    const ask = asker(written, undone(zoo.pool, {}));
    for (const body of [
      ...rows,
      ...rows.map((one) =>
        [one].flat().map(({ id, name }) => ({ id: id + 10, name: `${name} again` })),
      ),
    ])
      expect((await ask({ method: "POST", url: "genres", body })).status).toBe(201);
    const made = json(await asker(api)({ url: "genres?id=gt.10&order=id&select=id,name" }));
    expect(made).toEqual([
      { id: 11, name: "eleven" },
      { id: 12, name: "twelve" },
      { id: 13, name: "x" },
      { id: 14, name: "a" },
      { id: 15, name: "b" },
      { id: 21, name: "eleven again" },
      { id: 22, name: "twelve again" },
      { id: 23, name: "x again" },
      { id: 24, name: "a again" },
      { id: 25, name: "b again" },
    ]);
  });
});

describe("who asks", () => {
  const reads = (resource: string) => (asked: string) => asked === resource;

  test("may no longer read what was read before", async () => {
    const ask = asker(await open());
    const url = "books?id=eq.1&select=id";
    for (let turn = 0; turn < 4; turn += 1) expect((await ask({ url })).status).toBe(200);
    expect((await ask({ url, can: () => false })).status).toBe(403);
    expect((await ask({ url })).status).toBe(200);
  });

  test("may read the table and not what is embedded", async () => {
    const api = createDataApi<object>({
      pool: zoo.pool,
      tables: [
        { name: "books", read: "books" },
        { name: "reviews", read: "reviews" },
      ],
      functions: [{ name: "books_of", resource: "calls" }],
    });
    await api.ready();
    const ask = asker(api);
    for (const url of ["books?select=id,reviews(id)&id=gt.1", "rpc/books_of?publisher=1"]) {
      for (let turn = 0; turn < 4; turn += 1) expect((await ask({ url })).status).toBe(200);
      expect((await ask({ url, can: reads("books") })).status).toBe(403);
    }
  });

  test("sees the rows of one's own", async () => {
    const api = createDataApi<object>({
      pool: zoo.pool,
      tables: [
        {
          name: "books",
          read: "all",
          // Somebody sees all: there is a rule, and no condition.
          rowRule: (column, asker_) =>
            asker_ === "all" ? undefined : raw(`${column("id").sql} = ${Number(asker_)}`),
        },
        { name: "reviews", read: "all" },
      ],
    });
    await api.ready();
    const ask = (who: string, url: string) => {
      const [path = "", query = ""] = url.split("?");
      return api.handle({ method: "GET", path, query, headers: {}, can: () => true, asker: who });
    };
    for (let turn = 0; turn < 4; turn += 1) {
      expect(json(await ask("all", "books?select=id&order=id&id=lt.4"))).toHaveLength(3);
      for (const id of [1, 2])
        expect(json(await ask(String(id), "books?select=id&order=id&id=lt.4"))).toEqual([{ id }]);
      const within = "reviews?select=books(id)&id=eq.1";
      expect(json(await ask("2", within))).toEqual([{ books: null }]);
      expect(json(await ask("1", within))).toEqual([{ books: { id: 1 } }]);
    }
  });
});

test("when it is asked", async () => {
  let now = new Date("2024-01-01T00:00:00Z");
  const options = { pool: zoo.pool, ...(await openDeclarations(zoo.pool)), now: () => now };
  const api = createDataApi<object>(options);
  await api.ready();
  const ask = asker(api);
  const url = "books?published_at.filter=%3Enow-1y&select=id&order=id";
  for (let turn = 0; turn < 4; turn += 1) expect(json(await ask({ url }))).toHaveLength(3);
  now = new Date("2030-01-01T00:00:00Z");
  expect(json(await ask({ url }))).toEqual([]);
});

test("a schema that has been read again", async () => {
  const api = createDataApi<object>({ pool: zoo.pool, tables: "all", errors: "whole" });
  await api.ready();
  const ask = asker(api);
  await zoo.pool.query("create table passing (id int, old int); insert into passing values (1, 2)");
  await api.reload();
  const url = "passing?id=eq.1";
  for (let turn = 0; turn < 4; turn += 1)
    expect(json(await ask({ url }))).toEqual([{ id: 1, old: 2 }]);
  await zoo.pool.query(
    "drop table passing; create table passing (id int, new int); insert into passing values (1, 3)",
  );
  await api.reload();
  expect(json(await ask({ url }))).toEqual([{ id: 1, new: 3 }]);
});

const { count: runs, seed, progress } = fuzzRun(600);

test(
  `${runs} hostile readings are answered the same when they are asked again`,
  async () => {
    const options = {
      pool: guarded.pool,
      tables: guardedTables,
      functions: guardedFunctions,
      maxRows: 50,
      aggregates: true,
      plan: true,
      statementTimeoutMs: 5_000,
    };
    const api = createDataApi<object>(options);
    await api.ready();
    const ask = asker(api);
    let [done, answered] = [0, 0];
    await fc.assert(
      fc.asyncProperty(requests(guardedTables.map(({ name }) => name)), async (hostile) => {
        progress((done += 1));
        const again: Ask<object> = { ...hostile, method: "GET", body: undefined, can: canAsk };
        const first = facts(await ask(again));
        if (first.status < 300) answered += 1;
        // Plans tell how long they took.
        if (first.headers["content-type"]?.includes("plan")) return;
        expect(facts(await ask(again))).toEqual(first);
        expect(facts(await ask(again))).toEqual(first);
        if (first.status < 300)
          expect((await ask({ ...again, can: () => false })).status).toBe(403);
      }),
      { numRuns: runs, seed },
    );
    expect(answered).toBeGreaterThan(runs / 10);
  },
  Math.max(120_000, runs * 20),
);
