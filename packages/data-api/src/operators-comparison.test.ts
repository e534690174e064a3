import { sample } from "@mainstay/testkit/sample.ts";
import { expect, test } from "vitest";
import { createDataApi } from "./engine.ts";
import { operatorsCorpus } from "./testing/corpus-operators.ts";
import { type Reply, startPostgRest } from "./testing/postgrest.ts";
import { comparison, openPostgRest } from "./testing/recorded.ts";
import { asker, openDeclarations, openZoo } from "./testing/zoo.ts";

const concurrency = 8;

/**
 * Later versions than 12.0.2 apply `to_tsvector` to every column that is no tsvector, so on columns that are no text
 * either the answer or the database's error is another. A request meant here and answered alike fails too.
 */
const isLaterTextSearch = (url: string) =>
  /=(?:pl|ph|w)?fts[.(]/.test(url) && !/&(?:title|words|attributes->>lang)=/.test(url);

/** A parser's expectations are each program's own words, so of its errors only the code counts. */
function comparable(body: string): unknown {
  if (body === "") return "";
  const value: unknown = JSON.parse(body);
  const isParseError =
    typeof value === "object" && value !== null && "code" in value && value.code === "PGRST100";
  return isParseError ? "PGRST100" : value;
}

const facts = ({ status, body }: Pick<Reply, "status" | "body">) => [status, comparable(body)];

const asked = sample(operatorsCorpus, 2_000);

test(`${asked.length} of ${operatorsCorpus.length} filters are ${comparison}`, async () => {
  const zoo = await openZoo();
  const real = await openPostgRest({ name: "operators", keepsHeader: () => false, facts }, () =>
    startPostgRest(zoo.url),
  );
  try {
    const api = createDataApi({
      pool: zoo.pool,
      errors: "whole",
      ...(await openDeclarations(zoo.pool)),
    });
    await api.ready();
    const ask = asker<object>(api);
    const differing: string[] = [];
    const waiting = asked.values();
    const compareAll = async () => {
      for (const request of waiting) {
        const [theirs, ours] = await Promise.all([real.ask(request), ask(request)]);
        const expected = JSON.stringify(facts(theirs));
        const answered = JSON.stringify(facts({ ...ours, body: ours.body ?? "" }));
        if ((answered !== expected) !== isLaterTextSearch(request.url))
          differing.push(`${request.url}\n  PostgREST ${expected}\n  ours      ${answered}`);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, compareAll));
    expect(differing.join("\n")).toBe("");
  } finally {
    await real.stop();
    await zoo.close();
  }
}, 60_000);
