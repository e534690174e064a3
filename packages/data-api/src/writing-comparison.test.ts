import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseVerbatim } from "./body.ts";
import { createDataApi } from "./engine.ts";
import type { CorpusRequest } from "./testing/corpus.ts";
import { callingCorpus } from "./testing/corpus-calling.ts";
import { writingCorpus } from "./testing/corpus-writing.ts";
import { type PostgRest, type Reply, startPostgRest, withType } from "./testing/postgrest.ts";
import { comparison, openPostgRest } from "./testing/recorded.ts";
import { asker, openZoo, undone, type Zoo } from "./testing/zoo.ts";

const noScalarJson = "12.0.2 takes a body that is no object for no rows; a scalar is not a row";
const ordered = "12.0.2 ignores the order of the rows that come back";
const ownDefault = "12.0.2 takes the domain's default before the column's";
const laterWords = "the message of later versions";
const noTable = "PGRST205 as in later versions";
const anyFilter = "12.0.2 filters only by columns that are selected";
const strictMax = "max-affected came later";
const anyJson = "12.0.2 cannot give a list or a scalar to an unnamed json argument";

/** Where we answer otherwise than PostgREST 12.0.2, and why, by the beginning of the request. */
const differences: Record<string, string> = {
  "POST keyless?select=b&order=b.desc": ordered,
  'POST keyless prefer:return=representation "text"': noScalarJson,
  "POST keyless prefer:return=representation null": noScalarJson,
  "POST paints?columns=id,shade,second&": ownDefault,
  "POST samples?columns=id,code,other&": ownDefault,
  "POST samples?columns=id,code,other,big&": ownDefault,
  "POST silent?columns=id,id2": laterWords,
  "POST nowhere": noTable,
  "POST keyless prefer:return=representation content-type:text/csv a,nope": laterWords,
  "POST keyless?columns=a prefer:return=representation content-type:text/csv a,nope":
    "`columns` counts for CSV too",
  "POST keyless prefer:return=representation content-type:application/x-www-form-urlencoded nope":
    laterWords,
  "POST keyless prefer:return=representation content-type:application/vnd.pgrst.object+json":
    "other names of JSON are JSON",
  'PUT settings?name=eq.fresh prefer:return=representation {"name":"fresh","nope":1}': laterWords,
  "PUT nowhere": noTable,
  "PATCH settings?name=eq.theme prefer:return=representation 1": noScalarJson,
  "PATCH settings?name=eq.theme&columns=nope": laterWords,
  "PATCH settings?select=name&order=name.desc": ordered,
  "PATCH samples?columns=code,other&": ownDefault,
  "PATCH nowhere": noTable,
  "PATCH books?select=id,reviews(stars)&reviews.order=stars": ordered,
  "PATCH settings prefer:handling=strict": strictMax,
  "PATCH settings?name=eq.theme prefer:handling=strict": strictMax,
  "DELETE settings?select=name&order=name.desc": ordered,
  "DELETE nowhere": noTable,
  "GET rpc/points?select=nope": "the message names the function",
  "GET rpc/no_arguments?limit=0": "a single value is no list",
  "GET rpc/books_of?publisher=1&publisher_id=eq.1": anyFilter,
  "POST rpc/rename_all?id=eq.1": anyFilter,
  "POST rpc/greet prefer:params=single-object": "gone in later versions",
  "POST rpc/given_json [1,2]": anyJson,
  "POST rpc/given_json 5": anyJson,
  "POST rpc/either_way [1]": anyJson,
  'POST rpc/named_json {"a":1}':
    "12.0.2 takes the name of a single json argument for none, and the database refuses",
  "POST rpc/rename_all prefer:handling=strict": strictMax,
};

let zoo: Zoo;
let real: PostgRest;
let ask: ReturnType<typeof asker<object>>;

beforeAll(async () => {
  zoo = await openZoo();
  const api = createDataApi({ pool: zoo.pool, tables: "all", errors: "whole" });
  await api.ready();
  ask = asker<object>(api, undone(zoo.pool, {}));
  const keepsHeader = (name: string) => comparedHeaders.has(name);
  real = await openPostgRest({ name: "writing", keepsHeader, facts }, () =>
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
  Object.keys(differences).find((key) => label(request).startsWith(key));

const comparedHeaders = new Set([
  "content-range",
  "content-type",
  "preference-applied",
  "location",
]);

/** What is compared; numbers to their last digit. */
const facts = ({ status, headers, body }: Reply) => ({
  status,
  range: headers["content-range"],
  type: headers["content-type"],
  applied: headers["preference-applied"],
  location: headers["location"],
  body: String(headers["content-type"]).includes("json") ? comparable(body) : body,
});

function comparable(body: string): unknown {
  if (body === "") return "";
  const value = parseVerbatim(body);
  if (typeof value !== "object" || value === null || !("code" in value) || !("hint" in value))
    return value;
  // The words of a parser's expectations and guesses at what was meant are each program's own.
  const { details, ...others } = value as { code: string; details?: unknown };
  return { ...others, details: value.code === "PGRST100" ? undefined : details, hint: undefined };
}

const requests = [...writingCorpus, ...callingCorpus];

test("the corpus is large and every listed difference is in it", () => {
  expect(requests.length).toBeGreaterThan(500);
  const listed = new Set(requests.map(listedAs));
  expect(Object.keys(differences).filter((key) => !listed.has(key))).toEqual([]);
});

describe(comparison, () => {
  test.for(requests.map((request) => ({ request, name: label(request) })))(
    "$name",
    async ({ request }) => {
      const theirs = await real.ask(request);
      const ours = await ask({ ...request, headers: withType(request.headers, request.body) });
      const mine = facts({ ...ours, body: ours.body ?? "" });
      const difference = listedAs(request);
      if (difference)
        expect(mine, "no longer a difference: take it off the list").not.toEqual(facts(theirs));
      else expect(mine).toEqual(facts(theirs));
    },
  );
});
