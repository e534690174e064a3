import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { bodyOf } from "#platform/outbound/testing/sign-in-servers.ts";
import { opensearch } from "../opensearch/opensearch.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { elasticsearch } from "./elasticsearch.ts";

/** Elasticsearch and OpenSearch against a stand-in written from the public documentation of their search. */

afterEach(closeAll);

const login = { username: "elastic", password: "sesame secret" };
const documents = [{ user: "ann" }, { user: "bob" }, { user: "bob" }];

/** Searches of documents in an index called `shop-1`: everything, or those of one user. */
async function start() {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  const { url } = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ request, body });
      const end = (code: number, json: unknown) => {
        response.writeHead(code, { "content-type": "application/json" });
        response.end(JSON.stringify(json));
      };
      const refused = (code: number, type: string, reason: string) =>
        end(code, { error: { root_cause: [{ type, reason }], type, reason }, status: code });
      if (request.headers.authorization !== basic)
        return refused(401, "security_exception", "unable to authenticate user [elastic]");
      const [, index] = /^\/(?:([^/]+)\/)?_search$/.exec(request.url ?? "") ?? [];
      if (index !== undefined && !/^(shop-1|shop-\*|shop-1,none)$/.test(decodeURIComponent(index)))
        return refused(404, "index_not_found_exception", `no such index [${index}]`);
      const { query } = JSON.parse(body || "{}") as { query?: Record<string, { user?: string }> };
      const [kind] = Object.keys(query ?? { match_all: {} });
      if (kind !== "match_all" && kind !== "term")
        return refused(400, "parsing_exception", `unknown query [${kind}]`);
      const hits = documents.filter(
        ({ user }) => kind === "match_all" || user === query?.term?.user,
      );
      return end(200, {
        took: 1,
        timed_out: false,
        _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
        hits: {
          total: { value: hits.length, relation: "eq" },
          max_score: 1,
          hits: hits.map((one, id) => ({ _index: "shop-1", _id: String(id), _source: one })),
        },
      });
    });
  });
  return { url, seen };
}

const bob = JSON.stringify({ query: { term: { user: "bob" } } });

describe.each([
  ["Elasticsearch", elasticsearch],
  ["OpenSearch", opensearch],
] as const)("%s", (what, type) => {
  test.each<[string, object, string | undefined]>([
    ["as many as wanted", { query: bob, index: "shop-1", results: 2 }, undefined],
    ["everywhere", { query: bob, results: 2 }, undefined],
    ["everything", { index: "shop-*", results: 3 }, undefined],
    ["more than wanted", { query: bob, results: 1 }, "found 2 documents, wanted 1"],
    ["fewer than wanted", { query: bob, results: 3 }, "found 2 documents, wanted 3"],
    ["none wanted when nothing is said", { query: bob }, "found 2 documents, wanted 0"],
    ["none", { query: bob.replace("bob", "eve"), index: "shop-1,none" }, undefined],
  ])("%s", async (_name, spec, error) => {
    const { url } = await start();
    const outcome = await tryCheck(type, { url, ...login, ...spec });
    expect([outcome.pass, outcome.error]).toEqual([error === undefined, error]);
    expect(outcome.isDefaultVerdict ?? false).toBe(error !== undefined);
  });

  test("the answer is what scripts see", async () => {
    const { url } = await start();
    const outcome = await tryCheck(type, { url, ...login, query: bob, results: 2 });
    expect(outcome.data?.()).toMatchObject({
      results: { hits: { total: { value: 2 }, hits: [{ _source: { user: "bob" } }, {}] } },
    });
    expect(outcome.details).toMatchObject({ took: 1, hits: { total: { value: 2 } } });
  });

  test("as the form editor writes credentials", async () => {
    const { url, seen } = await start();
    const spec = { url: `${url}/`, basic: true, authentication: login, results: 3 };
    expect(await tryCheck(type, spec)).toMatchObject({ pass: true });
    expect(seen[0]?.request.url).toBe("/_search");
  });

  test("wrong credentials, and none", async () => {
    const { url } = await start();
    const wrong = await tryCheck(type, { url, ...login, password: "another secret" });
    expect(wrong.error).toContain(
      `${what} did not accept the credentials (401): unable to authenticate user [elastic]`,
    );
    expect(JSON.stringify(wrong)).not.toContain("another secret");
    expect((await tryCheck(type, { url })).error).toContain("wants credentials (401)");
  });

  test("an index that is not there, queries that cannot be meant", async () => {
    const { url } = await start();
    const nowhere = await tryCheck(type, { url, ...login, index: "other" });
    expect(nowhere.error).toContain("(404): no such index [other]");
    expect(await tryCheck(type, { url, ...login, query: '{"query":{"no":{}}}' })).toMatchObject({
      invalid: true,
      error: `${what} cannot read the query: unknown query [no]`,
    });
    expect(await tryCheck(type, { url, ...login, query: "{" })).toMatchObject({
      invalid: true,
      error: "the query is not JSON",
    });
  });

  itSurvivesAnyApi(what, login.password, (url, options) =>
    tryCheck(type, { url, ...login, query: bob }, options),
  );
});

test("servers that write the number alone, searches that were ended", async () => {
  const old = await serve((_request, response) => response.end('{"hits":{"total":7}}'));
  expect(await tryCheck(elasticsearch, { url: old.url, results: 7 })).toMatchObject({ pass: true });
  const ended = await serve((_request, response) =>
    response.end('{"timed_out":true,"hits":{"total":{"value":0}}}'),
  );
  expect((await tryCheck(elasticsearch, { url: ended.url })).error).toBe(
    "Elasticsearch ended the search before it was whole",
  );
});

test("a search counts to 10,000 by itself, and further when more is wanted", async () => {
  const there = 20_000;
  const { url } = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      const asked = new URL(request.url ?? "", "http://search").searchParams;
      const said = (JSON.parse(body || "{}") as { track_total_hits?: number }).track_total_hits;
      const most = Number(asked.get("track_total_hits") ?? said ?? 10_000);
      const value = Math.min(there, most);
      const relation = value < there ? "gte" : "eq";
      response.end(JSON.stringify({ hits: { total: { value, relation } } }));
    });
  });
  const errorOf = async (spec: object) =>
    (await tryCheck(opensearch, { url, ...spec })).error ?? "passed";
  expect(await errorOf({ results: 20_000 })).toBe("passed");
  expect(await errorOf({ results: 10_000 })).toBe("found at least 10001 documents, wanted 10000");
  expect(await errorOf({})).toBe("found at least 10000 documents, wanted 0");
  const query = '{"track_total_hits":500}';
  expect(await errorOf({ query, results: 500 })).toBe("found at least 500 documents, wanted 500");
});

test("a search that left something out has not found everything", async () => {
  const { url } = await serve((_request, response) =>
    response.end(
      JSON.stringify({
        _shards: { total: 2, failed: 1, failures: [{ reason: { reason: "not a number" } }] },
        hits: { total: { value: 0, relation: "eq" } },
      }),
    ),
  );
  expect((await tryCheck(opensearch, { url })).error).toBe(
    "OpenSearch left out 1 of 2 shards: not a number",
  );
});
