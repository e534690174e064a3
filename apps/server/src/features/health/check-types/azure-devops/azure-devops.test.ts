import { afterEach, describe, expect, test } from "vitest";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import { itSurvivesAnyApi } from "../testing/hostile-api.ts";
import { tryCheck } from "../testing/try-check.ts";
import { azureDevops } from "./azure-devops.ts";

/** Against a stand-in of the Pipelines API (7.1), written from its public documentation. */

afterEach(closeAll);

const token = "sesame-secret-token";
const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 0, 1, 12, minute, second));

interface GivenRun {
  id: number;
  state?: string;
  result?: string;
  branch?: string;
  seconds?: number;
  variables?: Record<string, { value: string }>;
}

const runOf = ({ id, state = "completed", result = "succeeded", seconds = 30 }: GivenRun) => ({
  id,
  name: `2026.${id}`,
  state,
  ...(state === "completed" && { result, finishedDate: at(id, seconds) }),
  createdDate: at(id),
});

/** An organization with pipelines three on a page; lists of runs name no branch, as the real ones. */
async function start(pipelines: Record<string, GivenRun[]>) {
  const names = Object.keys(pipelines);
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    const end = (code: number, json: unknown) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(json));
    const basic = `Basic ${Buffer.from(`:${token}`).toString("base64")}`;
    // As the cloud: a page to sign in, which is no error.
    if (request.headers.authorization !== basic)
      return response.writeHead(203, { "content-type": "text/html" }).end("<html>Sign in</html>");
    if (searchParams.get("api-version") !== "7.1") return end(400, { message: "no version" });
    const [, id, run] =
      /^\/shop\/web%20site\/_apis\/pipelines(?:\/(\d+)\/runs(?:\/(\d+))?)?$/.exec(pathname) ?? [];
    if (!pathname.startsWith("/shop/web%20site/_apis/pipelines"))
      return end(404, { message: "TF200016: The following project does not exist." });
    if (id === undefined) {
      const from = Number(searchParams.get("continuationToken") ?? 0);
      if (from + 3 < names.length) response.setHeader("x-ms-continuationtoken", String(from + 3));
      const value = names.slice(from, from + 3).map((name, index) => ({ id: from + index, name }));
      return end(200, { count: value.length, value });
    }
    const runs = pipelines[names[Number(id)] ?? ""] ?? [];
    if (run === undefined) return end(200, { count: runs.length, value: runs.map(runOf) });
    const found = runs.find((one) => one.id === Number(run));
    if (!found) return end(404, { message: "no such run" });
    const refName = `refs/heads/${found.branch ?? "main"}`;
    return end(200, {
      ...runOf(found),
      variables: found.variables ?? {},
      resources: { repositories: { self: { refName } } },
      _links: { web: { href: "https://dev.azure.com/shop/1" } },
    });
  });
  return (spec: object = {}) =>
    tryCheck(azureDevops, {
      url,
      organization: "shop",
      project: "web site",
      pipeline: "build",
      personalAccessToken: { value: token },
      ...spec,
    });
}

test("the last completed run counts", async () => {
  const run = await start({
    build: [{ id: 3, state: "inProgress" }, { id: 1, result: "failed" }, { id: 2 }],
  });
  const outcome = await run();
  expect(outcome).toMatchObject({ pass: true, message: "run 2026.2 of build succeeded" });
  expect(outcome.data?.()).toEqual({
    results: [
      {
        id: "2",
        name: "2026.2",
        pipeline: "build",
        result: "succeeded",
        branch: "main",
        variables: {},
        createdDate: at(2).toISOString(),
        finishedDate: at(2, 30).toISOString(),
        durationMs: 30_000,
        url: "https://dev.azure.com/shop/1",
      },
    ],
  });
});

describe("with several runs", () => {
  const pipelines = {
    "build web": [
      { id: 1, branch: "main", variables: { env: { value: "prod" } } },
      { id: 2, branch: "feature/x", result: "failed", seconds: 45 },
    ],
    "build api": [{ id: 3 }],
    "c++ (nightly": [{ id: 4, result: "canceled" }],
    idle: [],
  };
  test.each<[string, object, string | undefined]>([
    ["another branch", { pipeline: "build web", branch: ["main"] }, undefined],
    ["a branch by its last part", { pipeline: "build web", branch: "x" }, "ended with failed"],
    ["variables", { pipeline: "build web", variables: { env: "prod" } }, undefined],
    ["a pattern", { pipeline: "^build" }, "run 2026.2 of build web ended with failed"],
    ["what is no pattern", { pipeline: "c++ (nightly" }, "ended with canceled"],
    ["too slow", { pipeline: "api", thresholdMillis: 29_999 }, "took 30000 ms, at most 29999 ms"],
    ["fast enough", { pipeline: "api", thresholdMillis: 30_000 }, undefined],
    ["no run", { pipeline: "idle" }, undefined],
    ["no such run", { pipeline: "build web", branch: ["none"] }, undefined],
    ["no such pipeline", { pipeline: "deploy" }, "no pipeline of web site is called deploy"],
    ["no such project", { project: "other" }, "(404): TF200016: The following project"],
  ])("%s", async (_name, spec, error) => {
    const outcome = await (await start(pipelines))(spec);
    expect(outcome.pass).toBe(error === undefined);
    if (error !== undefined) expect(outcome.error).toContain(error);
  });
});

test("wrong tokens, and none", async () => {
  const run = await start({ build: [] });
  const wrong = await run({ personalAccessToken: { value: "another secret" } });
  expect(wrong.error).toContain("Azure DevOps did not accept the credentials");
  expect(JSON.stringify(wrong)).not.toContain("another secret");
  expect(await run({ personalAccessToken: undefined })).toMatchObject({
    invalid: true,
    error: "Azure DevOps needs a personalAccessToken",
  });
});

test("too many pipelines, patterns that backtrack", async () => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, id) => [`build ${id}`, []]));
  expect(await (await start(many))()).toMatchObject({ invalid: true });
  const long = await start({ ["a".repeat(5000)]: [] });
  expect(await long({ pipeline: "(a+)+$b" })).toMatchObject({ pass: false });
});

describe("any other API", () => {
  itSurvivesAnyApi("Azure DevOps", token, (url, options) =>
    tryCheck(
      azureDevops,
      {
        url,
        organization: "shop",
        project: "web",
        pipeline: "build",
        personalAccessToken: token,
      },
      options,
    ),
  );
});
