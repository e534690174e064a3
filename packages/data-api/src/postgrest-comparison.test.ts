import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import { corpus, type CorpusRequest } from "./testing/corpus.ts";
import { type PostgRest, type Reply, startPostgRest, withType } from "./testing/postgrest.ts";
import { comparison, openPostgRest } from "./testing/recorded.ts";
import { asker, openDeclarations, openZoo, undone, type Zoo } from "./testing/zoo.ts";

/**
 * Where we answer otherwise than PostgREST 12.0.2, and why. A request that is listed and answered alike fails too, so
 * this list stays true.
 */
const differences: Record<string, string> = {
  "GET books?select=id&order=id&pages=is.nope": "another column in the message of a parse error",
  "GET books?select=id&order=id&or=id.eq.1":
    "PostgREST reads the key and the value as one text and finds a column `orid`",
  "GET books?select=id,reviews(id)&reviews.nope=eq.1":
    "the message names the table, not an internal alias of it",
  "GET books?select=id,reviews(nope)": "the message names the table, not an internal alias of it",
  "GET books?select=id,publishers(name)&order=publishers(nope)":
    "the message names the table, not an internal alias of it",
  "GET books?select=id,publishers(id)&order=publishers(name),id.desc":
    "12.0.2 orders only by columns of the embed that are selected",
  "GET books?select=id,publishers)name(":
    "PostgREST ignores what follows a stray bracket; we let only one pass, at the end",
  "GET books?select=id,...reviews(stars)&order=id": "later versions spread lists too",
  "GET books?select=id&id=eq.1 accept:image/png": "406 as in later versions",
  "GET rpc/mood_counts?select=mood&books=gt.1":
    "12.0.2 cannot filter the result of a function that returns a table",
  "POST genres?columns=id,nope prefer:return=representation": "the message of later versions",
  'POST genres prefer:return=representation {"id":10,"nope":1}': "the message of later versions",
  "POST genres prefer:return=representation 3":
    "PostgREST inserts nothing and answers 201; a number is not a row",
  'PATCH genres?id=eq.1 prefer:return=representation {"nope":1}': "the message of later versions",
  "PATCH books?or=(id.eq.1,title.ilike.*guide*)&select=id,title":
    "PostgREST applies `or` to the changed rows again and hides some; callers need all affected rows",
};

let zoo: Zoo;
let real: PostgRest;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi({ pool: zoo.pool, ...(await openDeclarations(zoo.pool)) });
  await api.ready();
  ask = asker<object>(api, undone(zoo.pool, {}));
  const keepsHeader = (name: string) => comparedHeaders.has(name);
  real = await openPostgRest({ name: "requests", keepsHeader, facts }, () =>
    startPostgRest(zoo.url),
  );
});

afterAll(async () => {
  await real.stop();
  await zoo.close();
});

const label = ({ method, url, headers, body }: CorpusRequest) =>
  [method, url, ...Object.entries(headers ?? {}).map(([name, value]) => `${name}:${value}`), body]
    .filter((part) => part !== undefined)
    .join(" ");

const listedAs = (request: CorpusRequest) =>
  Object.keys(differences).find(
    (key) => label(request) === key || label(request).startsWith(`${key} `),
  );

const comparedHeaders = new Set([
  "content-range",
  "content-type",
  "preference-applied",
  "location",
]);

/** What is compared: status, the headers that clients read, and the body as a value. */
const facts = ({ status, headers, body }: Reply) => ({
  status,
  range: headers["content-range"],
  type: status < 400 && body !== "" ? headers["content-type"] : undefined,
  applied: headers["preference-applied"],
  location: headers["location"],
  body: comparable(body),
});

function comparable(body: string): unknown {
  if (body === "") return "";
  const value = JSON.parse(body) as unknown;
  if (typeof value !== "object" || value === null || !("code" in value) || !("hint" in value))
    return value;
  // Where the program guards, it says the message by another name too.
  const { error: _same, ...told } = value as typeof value & { error?: unknown };
  // The words of a parser's expectations and the guesses in hints are each program's own.
  const details = "details" in told && told.code !== "PGRST100" ? told.details : undefined;
  return { ...told, details, hint: value.code === "PGRST201" ? value.hint : undefined };
}

test("the corpus is large and every listed difference is in it", () => {
  expect(corpus.length).toBeGreaterThan(300);
  const listed = new Set(corpus.map(listedAs));
  expect(Object.keys(differences).filter((key) => !listed.has(key))).toEqual([]);
});

describe(comparison, () => {
  test.for(corpus.map((request) => ({ request, name: label(request) })))(
    "$name",
    async ({ request }) => {
      const [theirs, ours] = await Promise.all([
        real.ask(request),
        ask({ ...request, headers: withType(request.headers, request.body) }),
      ]);
      const mine = facts({ ...ours, body: ours.body ?? "" });
      const difference = listedAs(request);
      if (difference)
        expect(mine, "no longer a difference: take it off the list").not.toEqual(facts(theirs));
      else expect(mine).toEqual(facts(theirs));
    },
  );
});
