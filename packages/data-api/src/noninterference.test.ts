import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import type { DataApiResponse } from "./respond.ts";
import { fuzzRun } from "./testing/fuzz-run.ts";
import {
  canAsk,
  guardedFunctions,
  guardedTables,
  openWorlds,
  worlds,
} from "./testing/guarded-zoo.ts";
import { requests } from "./testing/hostile-requests.ts";
import { type Ask, asker, undone, type Zoo } from "./testing/zoo.ts";

/**
 * Two databases that differ in nothing the asker may see answer alike: status, headers and body, whatever is asked.
 *
 * What PostgreSQL itself tells cannot be kept in by who makes statements, so the worlds do not differ in it:
 * - a key that is taken and a row that is referred to, by rows that may not be seen: no unique column that can be
 *   written has such values, and rows of others refer to the same rows in both worlds;
 * - the order of rows that nothing orders, which follows the steps that PostgreSQL chooses from statistics of all rows:
 *   there are none at first, and later only the order may differ;
 * - how long a table is on disk, of which `count=planned` tells: tables that may be seen whole are as long.
 */
let zoos: Zoo[] = [];
const asks: ReturnType<typeof asker<object>>[] = [];

beforeAll(async () => {
  zoos = await openWorlds(worlds);
  for (const { pool } of zoos) {
    const api = createDataApi({
      pool,
      tables: guardedTables,
      functions: guardedFunctions,
      maxRows: 50,
      aggregates: true,
      plan: true,
      statementTimeoutMs: 5_000,
    });
    await api.ready();
    asks.push(asker(api, undone(pool, {})));
  }
});

afterAll(() => Promise.all(zoos.map((zoo) => zoo.close())));

const { count: runs, seed, say, progress } = fuzzRun(1_500);
/** Of the second kind, which finds less. */
const fewer = Math.ceil(runs / 4);
/** Asks both worlds until they differ; returns how many requests got rows or changed them. */
async function askBoth(
  count: number,
  toCompare: (asked: Ask<object>, response: DataApiResponse) => unknown,
): Promise<number> {
  let done = 0;
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(requests(guardedTables.map(({ name }) => name)), async (asked) => {
      done += 1;
      progress(done);
      const [one, other] = await Promise.all(
        asks.map(async (ask) => {
          const response = await answerOf(ask, asked);
          if (response.status < 300) answered += 1 / asks.length;
          return toCompare(asked, response);
        }),
      );
      expect(other).toEqual(one);
    }),
    { numRuns: count, seed },
  );
  say(`${count} requests asked twice, seed ${seed}: ${answered} got rows or changed them`);
  return answered;
}

test(
  `${runs} hostile requests are answered alike where only what the asker may not see differs`,
  async () => {
    const answered = await askBoth(runs, (_asked, response) => response);
    // Worth something only when many requests get as far as rows.
    expect(answered).toBeGreaterThan(runs / 5);
  },
  Math.max(120_000, runs * 20),
);

test(
  `${fewer} requests meet the same rows where statistics know of what the asker may not see`,
  async () => {
    for (const { pool } of zoos) await pool.query("analyze");
    await askBoth(fewer, sameInAnyOrder);
  },
  Math.max(120_000, runs * 20),
);

function answerOf(
  ask: ReturnType<typeof asker<object>>,
  asked: Ask<object>,
): Promise<DataApiResponse> {
  const hasBody = ["POST", "PATCH", "PUT"].includes(asked.method ?? "");
  return ask({ ...asked, body: hasBody ? asked.body : undefined, can: canAsk });
}

/** What of an answer does not follow the order of rows: of a page, of a plan and of an error only that it is there. */
function sameInAnyOrder({ url, headers = {} }: Ask<object>, response: DataApiResponse): unknown {
  const { status, headers: told, body } = response;
  const isPage = /limit|offset/.test(url) || headers["range"] !== undefined;
  const isPlan = told["content-type"]?.includes("pgrst.plan") === true;
  if (status >= 400 || isPage || isPlan) return status;
  return { status, headers: { ...told, etag: "" }, body: body && inOneOrder(body) };
}

function inOneOrder(body: string): unknown {
  try {
    return sorted(JSON.parse(body));
  } catch {
    return body.split("\n").toSorted();
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).toSorted();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sorted(item)]));
}
