import { afterEach, describe, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { dynatrace } from "./dynatrace.ts";

/** Against a stand-in of the Problems API v2, written from its public documentation. */

afterEach(closeAll);

const apiKey = "dt0c01.ABC.sesame";
const entity = { entityId: { id: "HOST-1", type: "HOST" }, name: "front" };
const problemOf = (index: number) => ({
  problemId: `${index}V2`,
  displayId: `P-${index}`,
  title: `Problem ${index}`,
  status: index % 2 === 0 ? "OPEN" : "CLOSED",
  impactLevel: "INFRASTRUCTURE",
  severityLevel: "AVAILABILITY",
  affectedEntities: [entity],
  impactedEntities: [entity],
  entityTags: [{ context: "CONTEXTLESS", key: "team", value: "shop" }],
});

/** An environment with so many problems, a few on each page. */
async function start(count: number, pageSize = 2) {
  const asked: string[] = [];
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    asked.push(searchParams.toString());
    const end = (code: number, json: unknown) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (request.headers.authorization !== `Api-Token ${apiKey}`)
      return end(401, { error: { code: 401, message: "Token Authentication failed" } });
    if (pathname !== "/api/v2/problems") return end(404, { error: { code: 404, message: "no" } });
    const from = Number(searchParams.get("nextPageKey") ?? 0);
    const hasEvidence = searchParams.get("fields") === "evidenceDetails";
    const problems = Array.from({ length: Math.min(pageSize, count - from) }, (_, index) => ({
      ...problemOf(from + index),
      ...(hasEvidence && {
        evidenceDetails: { totalCount: 1, details: [{ evidenceType: "EVENT" }] },
      }),
    }));
    const next = from + pageSize;
    return end(200, {
      totalCount: count,
      pageSize,
      problems,
      ...(next < count && { nextPageKey: String(next) }),
    });
  });
  return { host: url.replace("http://", ""), url, asked };
}

test("all problems of all pages", async () => {
  const { host, asked } = await start(5);
  const outcome = await tryCheck(dynatrace, { scheme: "http", host, apiKey });
  expect(outcome).toMatchObject({ pass: true, details: { count: 5, open: 3 } });
  expect(outcome.message).toMatch(/^5 problems, 3 open, in [\d.]+ ms$/);
  expect(asked).toEqual([
    "fields=evidenceDetails",
    "fields=evidenceDetails&nextPageKey=2",
    "fields=evidenceDetails&nextPageKey=4",
  ]);
  const { results } = (outcome.data?.() ?? {}) as { results: unknown[] };
  expect(results).toHaveLength(5);
  expect(results[1]).toEqual({
    title: "Problem 1",
    status: "CLOSED",
    impactLevel: "INFRASTRUCTURE",
    severity: "AVAILABILITY",
    impactedEntities: [entity],
    affectedEntities: [entity],
    labels: [{ context: "CONTEXTLESS", key: "team", value: "shop" }],
    entityTags: [{ context: "CONTEXTLESS", key: "team", value: "shop" }],
    totalEvidences: 1,
    evidences: [{ evidenceType: "EVENT" }],
  });
});

test("none; and more pages than are read", async () => {
  const none = await start(0);
  expect((await tryCheck(dynatrace, { url: none.url, apiKey })).message).toMatch(
    /^0 problems, 0 open/,
  );
  const many = await start(100);
  const outcome = await tryCheck(dynatrace, { url: many.url, apiKey });
  expect(outcome.message).toMatch(/^100 problems, of which 40 were read, 20 open/);
  expect(many.asked).toHaveLength(20);
});

test("wrong tokens, and none", async () => {
  const { url } = await start(1);
  const wrong = await tryCheck(dynatrace, { url, apiKey: "dt0c01.another" });
  expect(wrong.error).toContain("Token Authentication failed");
  expect(wrong.error).toContain("(401)");
  expect(JSON.stringify(wrong)).not.toContain("dt0c01.another");
  expect(await tryCheck(dynatrace, { url })).toMatchObject({
    invalid: true,
    error: "Dynatrace needs an apiKey",
  });
});

test("its endpoint", () => {
  const of = (spec: object) => dynatrace.endpoint(dynatrace.spec.parse({ name: "a", ...spec }));
  expect(of({ host: "abc.live.dynatrace.com" })).toBe("https://abc.live.dynatrace.com/");
  expect(of({ host: "http://abc:9999/e/1" })).toBe("http://abc:9999/e/1");
});

describe("any other API", () => {
  itSurvivesAnyApi("Dynatrace", apiKey, (url, options) =>
    tryCheck(dynatrace, { url, apiKey }, options),
  );
});
