import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type MonitoringServer,
  startPrometheus,
} from "@mainstay/testkit/servers/index.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { bodyOf, digestServer } from "#platform/outbound/testing/sign-in-servers.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { prometheus } from "./prometheus.ts";

/** Against a real Prometheus; what it does not do itself, against stand-ins of its API. */

afterEach(closeAll);

const login = { username: "ann", password: "sesame secret" };
const hash = "$2b$05$abcdefghijklmnopqrstuu2DrNMb8fKhYfoIOkp87AGvfRzelaVl2";

describe.skipIf(!areInstalled("prometheus"))("a real one", () => {
  let server: MonitoringServer | undefined;
  beforeAll(async () => {
    server = await startPrometheus({ login: { ...login, hash } });
  });
  afterAll(() => server?.stop());
  const run = (query: string, more: object = {}) =>
    tryCheck(prometheus, { url: `http://127.0.0.1:${server?.port}/`, query, ...login, ...more });

  test("one value", async () => {
    const outcome = await run("vector(42)");
    expect(outcome).toMatchObject({ pass: true, details: { results: [{ value: 42 }], count: 1 } });
    expect(outcome.message).toMatch(/^value 42 in [\d.]+ ms$/);
    expect(outcome.data?.()).toEqual({
      results: [{ value: 42 }],
      count: 1,
      firstResult: { value: 42 },
      value: 42,
    });
  });

  test("several, with labels", async () => {
    const query = String.raw`label_replace(vector(1), "job", "a+b & \"c\"", "", "") or label_replace(vector(2), "job", "two", "", "")`;
    const outcome = await run(query);
    expect(outcome.message).toMatch(/^2 results in /);
    expect(outcome.data?.()).toMatchObject({
      results: [
        { job: 'a+b & "c"', value: 1 },
        { job: "two", value: 2 },
      ],
      firstResult: { job: 'a+b & "c"', value: 1 },
      value: 1,
    });
    expect(outcome.labels).toEqual({ job: 'a+b & "c"' });
  });

  test("what is no number", async () => {
    const outcome = await run("vector(0) / 0 or label_replace(vector(1) / 0, 'a', 'b', '', '')");
    expect(outcome.details?.results).toEqual([{ value: "NaN" }, { a: "b", value: "Infinity" }]);
    expect(outcome.data?.()).toMatchObject({ value: Number.NaN });
  });

  test("nothing", async () => {
    expect(await run("nothing_is_called_so")).toMatchObject({ pass: true });
    const outcome = await run("nothing_is_called_so", { markFailOnEmpty: true });
    expect(outcome).toMatchObject({ pass: false, error: "the query found nothing" });
    expect(outcome.data?.()).toMatchObject({ results: [], firstResult: {}, value: null });
  });

  test.each([
    ["1 +", 'Prometheus cannot read the query: invalid parameter "query"'],
    ["1", "the query gives a scalar, and a vector is wanted; vector(...) makes one of it"],
    ["up[1m]", "the query gives a matrix, and a vector is wanted"],
    ["'x'", "the query gives a string, and a vector is wanted"],
  ])("a query that cannot be meant: %s", async (query, error) => {
    const outcome = await run(query);
    expect(outcome).toMatchObject({ pass: false, invalid: true });
    expect(outcome.error).toContain(error);
  });

  test("wrong credentials, and none", async () => {
    const wrong = await run("vector(1)", { password: "another secret" });
    expect(wrong.error).toMatch(/^Prometheus did not accept the credentials \(401\)/);
    expect(JSON.stringify(wrong)).not.toContain("another secret");
    const none = await run("vector(1)", { username: undefined, password: undefined });
    expect(none.error).toMatch(/^Prometheus wants credentials \(401\)/);
  });
});

test("host is no longer read", async () => {
  expect(await tryCheck(prometheus, { host: "http://a", query: "up" })).toMatchObject({
    invalid: true,
    error: '"host" is no longer read: write the address as url',
  });
});

describe("stand-ins", () => {
  const answer = JSON.stringify({
    status: "success",
    warnings: ["partial"],
    data: { resultType: "vector", result: [{ metric: { job: "a" }, value: [0, "1.5"] }] },
  });

  test("one that takes no POST, below a path, with headers", async () => {
    const seen: unknown[] = [];
    const { url } = await serve((request, response) => {
      seen.push([request.method, request.url, request.headers["x-scope-orgid"]]);
      response.statusCode = request.method === "POST" ? 405 : 200;
      response.end(answer);
    });
    const outcome = await tryCheck(prometheus, {
      url: `${url}/prometheus/?tenant=a`,
      query: "up == 1",
      headers: [{ name: "X-Scope-OrgID", value: "shop" }],
    });
    expect(outcome).toMatchObject({ pass: true, details: { warnings: ["partial"] } });
    expect(seen).toEqual([
      ["POST", "/prometheus/api/v1/query?tenant=a", "shop"],
      ["GET", "/prometheus/api/v1/query?tenant=a&query=up+%3D%3D+1", "shop"],
    ]);
  });

  test("bearer, Digest and signatures say who asks", async () => {
    const { url } = await serve((request, response) => {
      const isGood = /^(Bearer long token|AWS4-HMAC-SHA256 Credential=AKID)/.test(
        String(request.headers.authorization),
      );
      response.statusCode = isGood ? 200 : 401;
      void bodyOf(request).then(() => response.end(answer));
    });
    const query = "up";
    const awsSigV4 = { accessKey: "AKID", secretKey: "long secret", region: "a", service: "aps" };
    for (const spec of [{ bearer: "long token" }, { awsSigV4 }]) {
      expect(await tryCheck(prometheus, { url, query, ...spec })).toMatchObject({ pass: true });
    }
    const judge = digestServer(login);
    const digest = await serve((request, response) => {
      response.end = (
        (end) => (text?: string) =>
          end(text ? answer : undefined)
      )(response.end.bind(response) as (text?: string) => typeof response) as typeof response.end;
      judge(request, response);
    });
    expect(
      await tryCheck(prometheus, { url: digest.url, query, digest: true, ...login }),
    ).toMatchObject({ pass: true });
  });

  itSurvivesAnyApi("Prometheus", login.password, (url, options) =>
    tryCheck(prometheus, { url, query: "up", ...login }, options),
  );
});
