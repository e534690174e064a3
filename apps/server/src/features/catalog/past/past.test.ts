import fc from "fast-check";
import sql from "sql-template-tag";
import { amount } from "@mainstay/testkit/sample.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson } from "../../../testing/people.ts";
import { createDifferences } from "../changes/differences.ts";
import { applyPatch, type Json, type Operation } from "../changes/json-patch.ts";
import { itemIdOf } from "../saving/item-id.ts";
import { ScrapeSave } from "../saving/scrape-save.ts";
import type { ScrapedItem } from "../scraping/scraped.ts";

const differences = createDifferences();
const dayMs = 24 * 60 * 60_000;
const start = Date.now() - 10 * dayMs;
const at = (days: number) => new Date(start + days * dayMs);

let app: TestApp;
let scraper: string;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const row = await app.db.first<{ id: string }>(
    sql`insert into config_scrapers (name, spec) values ('shop', '{}') returning id`,
  );
  scraper = row!.id;
});
afterAll(async () => {
  await differences.close();
  await app.stop();
});

const item = (externalId: string, changes: Partial<ScrapedItem>): ScrapedItem => ({
  externalId,
  aliases: [],
  type: "Thing",
  configClass: "Thing",
  name: externalId,
  config: {},
  labels: {},
  tags: {},
  properties: [],
  parents: [],
  relations: [],
  health: "healthy",
  ...changes,
});

/** Has an item scraped as it was at these days, one after the other. @returns its id */
async function scraped(
  name: string,
  history: readonly (readonly [days: number, changes: Partial<ScrapedItem>])[],
): Promise<string> {
  for (const [days, changes] of history) {
    const save = new ScrapeSave({
      db: app.db,
      scraperId: scraper,
      now: at(days),
      differences,
      retention: undefined,
    });
    await save.add({
      items: [item(name, changes)],
      changes: [],
      insights: [],
      failures: [],
      gone: [],
      notices: [],
    });
    // The others of this scraper are none of it.
    await save.finish({ isComplete: false });
  }
  const id = itemIdOf(scraper, item(name, {}));
  await app.db.run(
    sql`update config_item_scrapes set first_seen_at = ${at(history[0]![0])} where config_id = ${id}`,
  );
  return id;
}

const path = (id: string, what: string, query: Record<string, string | Date> = {}) =>
  `/api/catalog/items/${id}/${what}?${String(
    new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [
        name,
        value instanceof Date ? value.toISOString() : value,
      ]),
    ),
  )}`;
const ask = (id: string, what: string, query?: Record<string, string | Date>) =>
  app.admin.get(path(id, what, query));

describe("an item that became another three times", () => {
  let id: string;
  beforeAll(async () => {
    id = await scraped("web", [
      [0, { config: { replicas: 1, image: "a" } }],
      [1, { config: { replicas: 2, image: "a" } }],
      [2, { config: { replicas: 2, image: "a" }, health: "unhealthy", status: "Failed" }],
      [3, { config: { replicas: 2, image: "b" }, name: "website" }],
    ]);
  });

  test.each([
    [0, { replicas: 1, image: "a" }, { name: "web", health: "healthy", status: null }, 0, 1],
    [0.5, { replicas: 1, image: "a" }, { name: "web", health: "healthy" }, 0, 1],
    [1, { replicas: 2, image: "a" }, { name: "web", health: "healthy" }, 1, 2],
    [2.9, { replicas: 2, image: "a" }, { health: "unhealthy", status: "Failed" }, 2, 3],
    [3, { replicas: 2, image: "b" }, { name: "website", health: "healthy" }, 3, null],
    [9, { replicas: 2, image: "b" }, { name: "website", deleted_at: null }, 3, null],
  ])("%d days after the first", async (days, config, state, from, until) => {
    const { status, json } = await ask(id, "at", { time: at(days) });
    expect([status, json]).toEqual([
      200,
      expect.objectContaining({
        id,
        time: at(days).toISOString(),
        config,
        ...state,
        from: at(from).toISOString(),
        until: until === null ? null : at(until).toISOString(),
      }),
    ]);
  });

  test("its moments are told, the newest first, in pages", async () => {
    const { status, json } = await ask(id, "moments");
    expect([status, json]).toEqual([
      200,
      {
        since: at(0).toISOString(),
        hasMore: false,
        moments: [
          {
            at: at(3).toISOString(),
            isConfig: true,
            changed: expect.arrayContaining(["health", "name", "status"]),
            summary: "image",
          },
          {
            at: at(2).toISOString(),
            isConfig: false,
            changed: expect.arrayContaining(["health", "status"]),
            summary: null,
          },
          { at: at(1).toISOString(), isConfig: true, changed: [], summary: "replicas" },
        ],
      },
    ]);
    const page = await ask(id, "moments", { before: at(3), limit: "1" });
    expect(page.json).toMatchObject({ hasMore: true, moments: [{ at: at(2).toISOString() }] });
  });

  test("two moments are compared in lines, in steps and as a merge patch", async () => {
    const { status, json } = await ask(id, "difference", { from: at(0.5), to: at(4) });
    expect([status, json]).toEqual([
      200,
      {
        from: at(0.5).toISOString(),
        to: at(4).toISOString(),
        before: expect.objectContaining({ name: "web", health: "healthy" }),
        after: expect.objectContaining({ name: "website" }),
        isSame: false,
        summary: "image, replicas",
        diff: expect.stringContaining('-  "image": "a",\n-  "replicas": 1\n+  "image": "b",'),
        patch: expect.arrayContaining([
          { op: "replace", path: "/image", value: "b" },
          { op: "replace", path: "/replicas", value: 2 },
        ]),
        merge_patch: { image: "b", replicas: 2 },
      },
    ]);
    const same = await ask(id, "difference", { from: at(1), to: at(2.5) });
    expect(same.json).toMatchObject({
      isSame: true,
      diff: null,
      patch: [],
      merge_patch: null,
      before: { health: "healthy" },
      after: { health: "unhealthy" },
    });
  });

  test.each([
    ["at", { time: "yesterday" }, 400, "time"],
    ["at", {}, 400, "time"],
    ["at", { time: at(30) }, 400, "time"],
    ["difference", { from: at(4), to: at(1) }, 400, "from"],
    ["difference", { from: at(1), to: at(30) }, 400, "to"],
    ["moments", { limit: "5000" }, 400, "limit"],
  ])("%s with %j is refused", async (what, query, status, place) => {
    const reply = await ask(id, what, query);
    expect([reply.status, reply.json.issues?.[0]?.path]).toEqual([status, place]);
    expect(reply.json.error).toEqual(expect.any(String));
  });

  test("what was before it was read for the first time nobody knows", async () => {
    const { status, json } = await ask(id, "at", { time: at(-1) });
    expect([status, json.since]).toEqual([404, at(0).toISOString()]);
    expect(json.error).toMatch(/^It was read for the first time at /);
  });

  test("an item that is not there has no past", async () => {
    for (const what of ["moments", "at", "difference"]) {
      const query = { time: at(1), from: at(1), to: at(1) };
      const reply = await ask("0190a0b4-0000-7000-8000-00000000dead", what, query);
      expect([what, reply.status, reply.json.error]).toEqual([what, 404, "There is no such item."]);
    }
  });

  test("whoever may read the catalog may, and nobody else", async () => {
    const viewer = await createPerson(app, "viewer");
    expect((await viewer.get(path(id, "at", { time: at(1) }))).status).toBe(200);
    expect((await app.nobody.get(path(id, "at", { time: at(1) }))).status).toBe(401);
  });
});

test("an item that went and came back was gone in between", async () => {
  const id = await scraped("ghost", [
    [0, { config: { a: 1 } }],
    [2, { config: { a: 1 }, deletedAt: at(1.5), deleteReason: "FROM_ATTRIBUTE" }],
    [4, { config: { a: 2 } }],
  ]);
  const gone = async (days: number) => (await ask(id, "at", { time: at(days) })).json.deleted_at;
  expect([await gone(1), await gone(3), await gone(5)]).toEqual([
    null,
    at(1.5).toISOString(),
    null,
  ]);
});

test("whatever it was, it is found again", async () => {
  const jsonValue = fc.jsonValue({ maxDepth: 3 }).map((value) => ({ value })) as fc.Arbitrary<Json>;
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(jsonValue, { minLength: 2, maxLength: 5 }), async (configs) => {
      const id = await scraped(
        `any-${++made}`,
        configs.map((config, days) => [days, { config }]),
      );
      for (const [days, config] of configs.entries()) {
        const { json } = await ask(id, "at", { time: at(days + 0.5) });
        // As PostgreSQL keeps it: the zero that is less than nothing is none.
        expect(json.config).toEqual(
          JSON.parse(JSON.stringify(config).replaceAll("\\u0000", "\uFFFD")),
        );
      }
      const { json } = await ask(id, "difference", { from: at(0), to: at(configs.length) });
      const [first, last] = [configs[0]!, configs.at(-1)!];
      expect(applyPatch(first, json.patch as Operation[])).toEqual(
        JSON.parse(JSON.stringify(last)),
      );
    }),
    { numRuns: 8 },
  );
});

test("what has changed too often, or too much, is refused by name", async () => {
  const id = await scraped("restless", [[0, { config: { n: 0 } }]]);
  await app.db.run(sql`
    insert into config_item_versions (config_id, changed_at, back)
    select ${id}, ${at(1)}::timestamptz + n * interval '1 second', '[]' from generate_series(1, 5001) n`);
  const often = await ask(id, "at", { time: at(0.5) });
  expect([often.status, often.json.error]).toEqual([
    413,
    "It has become another more than 5000 times since then: choose a later moment.",
  ]);
  expect((await ask(id, "at", { time: at(5) })).status).toBe(200);
  const large = await scraped("large", [[0, { config: { n: 0 } }]]);
  await app.db.run(sql`
    insert into config_item_versions (config_id, changed_at, back)
    select ${large}, ${at(1)}::timestamptz + n * interval '1 second',
           jsonb_build_array(jsonb_build_object('op', 'replace', 'path', '/n', 'value',
             (select string_agg(md5((n * 100000 + m)::text), '') from generate_series(1, 40000) m)))
      from generate_series(1, 8) n`);
  const much = await ask(large, "difference", { from: at(0.5), to: at(5) });
  expect([much.status, much.json.error]).toEqual([
    413,
    "Too much of it has changed since then: choose a later moment.",
  ]);
});

/** 5 MB in a whole run. */
const keys = amount(50_000, 5_000);

test("of megabytes a moment and a difference are told", async () => {
  const config = (n: number) => ({
    data: Object.fromEntries(
      Array.from({ length: keys }, (_, key) => [
        `key${key}`,
        { value: `${"x".repeat(60)}${key}`, n: key % 500 === 0 ? n : 0 },
      ]),
    ),
  });
  const id = await scraped("big", [
    [0, { config: config(1) }],
    [1, { config: config(2) }],
    [2, { config: config(3) }],
  ]);
  const { status, json } = await ask(id, "at", { time: at(0.5) });
  expect([status, json.config.data.key500.n]).toEqual([200, 1]);
  const compared = await ask(id, "difference", { from: at(0), to: at(3) });
  expect([compared.status, compared.json.patch.length]).toEqual([200, keys / 500]);
});
