import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseVerbatim } from "./body.ts";
import { createDataApi } from "./engine.ts";
import type { CorpusRequest } from "./testing/corpus.ts";
import { readingCorpus } from "./testing/corpus-reading.ts";
import { type PostgRest, type Reply, startPostgRest } from "./testing/postgrest.ts";
import { comparison, openPostgRest } from "./testing/recorded.ts";
import { asker, openZoo, type Zoo } from "./testing/zoo.ts";

/** Where we answer otherwise than PostgREST 12.0.2, and why. */
const differences: [pattern: RegExp, reason: string][] = [
  [/=(not\.)?is\.not_null/i, "later versions know not_null"],
  [
    /&(?!title|attributes->>lang|attributes->size->>w|tags->>0)[\w>-]+=(fts|plfts\(english\))\./,
    "later versions make every column ready for searching",
  ],
  [
    /reviews!inner\(id,stars\)&reviews\.offset=1.*count=exact/,
    "12.0.2 counts without the page of the list that it joins by",
  ],
  [/publishers\(name,head_id\).*accept:text\/csv/, "JSON in CSV has no spaces here"],
  [/rpc\/(page|words).*accept:(text\/\*|image\/png$)/, "406 as in later versions"],
  [/rpc\/page.*accept:text\/plain|rpc\/words accept:text\/html/, "406 as in later versions"],
  [/rpc\/words.*accept:image\/png/, "406 as in later versions"],
  [/rpc\/(first_book|books_of).*accept:text\/csv/, "the columns come in the order of select"],
];

let zoo: Zoo;
let real: PostgRest;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi({
    pool: zoo.pool,
    tables: "all",
    errors: "whole",
    aggregates: true,
    maxRows: Number.POSITIVE_INFINITY,
  });
  await api.ready();
  ask = asker<object>(api);
  const keepsHeader = (name: string) => comparedHeaders.has(name);
  real = await openPostgRest({ name: "reading", keepsHeader, facts }, () =>
    startPostgRest(zoo.url, { PGRST_DB_AGGREGATES_ENABLED: "true" }),
  );
});

afterAll(async () => {
  await real.stop();
  await zoo.close();
});

const label = ({ method, url, headers }: CorpusRequest) =>
  [method, url, ...Object.entries(headers ?? {}).map(([name, value]) => `${name}:${value}`)].join(
    " ",
  );

const comparedHeaders = new Set([
  "content-range",
  "content-type",
  "preference-applied",
  "content-location",
]);

const facts = ({ status, headers, body }: Reply) => ({
  status,
  range: headers["content-range"],
  type: headers["content-type"],
  applied: headers["preference-applied"],
  location: status < 400 ? headers["content-location"] : undefined,
  body: String(headers["content-type"]).includes("json") && body !== "" ? comparable(body) : body,
});

function comparable(body: string): unknown {
  const value = parseVerbatim(body);
  if (typeof value !== "object" || value === null || !("code" in value) || !("hint" in value))
    return sorted(value);
  const { code, details, hint, message } = value as Record<string, unknown>;
  // The words of a parser's expectations are each program's own.
  if (code === "PGRST100") return { code };
  // So are guesses at what was meant.
  return code === "PGRST200" ? { code, details, message } : { code, details, hint, message };
}

/** Groups come in any order, and so do keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(ordered(one))).toSorted();
  return ordered(value);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, ordered(inner)]));
}

/** Requests of one subject that are under way at once. */
const together = 8;

describe(comparison, () => {
  test.for(Object.entries(readingCorpus))("%s", async ([, requests]) => {
    const found: string[] = [];
    const queue = [...requests];
    const work = async () => {
      for (let request = queue.shift(); request; request = queue.shift()) {
        const name = label(request);
        const [theirs, ours] = await Promise.all([real.ask(request), ask(request)]);
        const mine = JSON.stringify(facts({ ...ours, body: ours.body ?? "" }));
        const wanted = JSON.stringify(facts(theirs));
        const isListed = differences.some(([pattern]) => pattern.test(name));
        if ((mine === wanted) === isListed)
          found.push(`${name}\n  ours   ${mine}\n  theirs ${wanted}`);
      }
    };
    await Promise.all(Array.from({ length: together }, work));
    expect(found.slice(0, 20).join("\n")).toBe("");
  });
});

test("thousands are compared", () => {
  expect(Object.values(readingCorpus).flat().length).toBeGreaterThan(2_000);
});
