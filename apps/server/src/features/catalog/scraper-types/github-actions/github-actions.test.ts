import { afterEach, expect, test } from "vitest";
import { createConnector } from "#platform/outbound/connector.ts";
import { closeAll } from "#platform/outbound/testing/serve.ts";
import {
  type GivenRun,
  type GivenWorkflow,
  githubToken,
  startGitHub,
} from "../testing/github-server.ts";
import { scrapeWith } from "../testing/scrape.ts";

/** Against a stand-in of GitHub's REST API. */

afterEach(closeAll);

const at = (day: number, minute = 0) => new Date(Date.UTC(2026, 5, day, 9, minute)).toISOString();

const release: GivenWorkflow = {
  id: 7,
  name: "release",
  runs: [
    { id: 71, run_number: 1, conclusion: "failure", created_at: at(1) },
    {
      id: 72,
      run_number: 2,
      conclusion: "failure",
      created_at: at(13),
      updated_at: at(13, 3),
      jobs: [
        { name: "lint", conclusion: "success", steps: [] },
        {
          name: "build",
          conclusion: "failure",
          steps: [
            { name: "Checkout", conclusion: "success" },
            { name: "Run tests", conclusion: "failure" },
          ],
        },
      ],
    },
    { id: 73, run_number: 3, created_at: at(14), updated_at: at(14, 2), head_branch: "dev" },
    { id: 74, run_number: 4, status: "in_progress", created_at: at(15), login: "bea" },
  ],
};
const workflows: GivenWorkflow[] = [
  release,
  {
    id: 8,
    name: "nightly",
    runs: [{ id: 81, run_number: 9, conclusion: "failure", created_at: at(2) }],
  },
  { id: 9, name: "old", state: "disabled_inactivity", runs: [] },
];

async function start(given: Record<string, GivenWorkflow[]> = { shop: workflows }) {
  const github = await startGitHub(structuredClone(given));
  const connector = createConnector();
  const scrape = (spec: object = {}) =>
    scrapeWith(
      "githubActions",
      {
        url: github.url,
        owner: "example",
        repository: "shop",
        personalAccessToken: { value: githubToken },
        ...spec,
      },
      { connector },
    );
  return { github, scrape };
}

test("workflows are items, as their last run was; runs of the last week are changes", async () => {
  const { scrape } = await start();
  const { items, changes, failures, notices } = await scrape();
  expect([failures, notices]).toEqual([[], []]);
  expect(
    items.map(({ externalId, name, status, health, ready }) => [
      externalId,
      name,
      status,
      health,
      ready,
    ]),
  ).toEqual([
    ["7/release", "shop/release", "Success", "healthy", true],
    ["8/nightly", "shop/nightly", "Failure", "unhealthy", true],
    ["9/old", "shop/old", "DisabledInactivity", "unknown", false],
  ]);
  expect(items[0]).toMatchObject({
    type: "GitHubAction::Workflow",
    configClass: "Deployment",
    aliases: ["release/7"],
    tags: { org: "example" },
    labels: { repository: "shop" },
    config: { id: 7, path: ".github/workflows/release.yml", state: "active" },
    createdAt: new Date("2025-01-01T00:00:00Z"),
  });
  expect(
    changes.map(({ changeType, severity, summary, createdBy }) => [
      changeType,
      severity,
      summary,
      createdBy,
    ]),
  ).toEqual([
    ["GitHubActionRunInProgress", "info", "Commit 4 (main)", "bea"],
    ["GitHubActionRunSuccess", "info", "Commit 3 (dev); took 2m", "ann"],
    [
      "GitHubActionRunFailure",
      "high",
      "Commit 2 (main); took 3m; failed: build / Run tests",
      "ann",
    ],
  ]);
  expect(changes[2]).toMatchObject({
    item: { externalId: "7/release", type: "GitHubAction::Workflow" },
    externalChangeId: "release/7/72",
    source: "GitHub/example/shop",
    createdAt: new Date(at(13)),
    details: { run_number: 2, event: "push", commit: "Commit 2", repository: "example/shop" },
  });
});

test("workflows by name and by file, runs by branch", async () => {
  const { scrape } = await start();
  const told = await scrape({ workflows: ["*", "!NIGHT*", "!old.yml"], branch: "dev" });
  expect(told.items.map(({ name }) => name)).toEqual(["shop/release"]);
  expect(told.changes.map(({ externalChangeId }) => externalChangeId)).toEqual(["release/7/73"]);
});

test("all pages, several repositories, and nothing sent twice that is the same", async () => {
  const runs = Array.from({ length: 230 }, (_, index): GivenRun => ({
    id: 1000 + index,
    run_number: index,
    created_at: at(14, index % 60),
  }));
  const many = Array.from({ length: 120 }, (_, index): GivenWorkflow => ({
    id: 100 + index,
    name: `w${index}`,
    runs: index === 0 ? runs : [],
  }));
  const { github, scrape } = await start({ shop: workflows, api: many, secret: workflows });
  const spec = { repository: "*,!secret" };
  const first = await scrape(spec);
  expect(first.items).toHaveLength(123);
  expect(first.changes).toHaveLength(233);
  expect(github.asked.filter(({ isSame }) => isSame)).toEqual([]);
  const asked = github.asked.splice(0).length;
  const second = await scrape(spec);
  expect([second.items, second.changes]).toEqual([first.items, first.changes]);
  expect(github.asked.filter(({ isSame }) => isSame)).toHaveLength(asked);
});

test("bad credentials, no such repository, an answer of something else", async () => {
  const { github, scrape } = await start();
  await expect(scrape({ personalAccessToken: { value: "wrong" } })).rejects.toThrow(
    "GitHub did not accept the credentials (401): Bad credentials",
  );
  await expect(scrape({ repository: "nothing" })).rejects.toThrow("GitHub has nothing at");
  github.instead = (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end('{"hello":1}');
    return true;
  };
  await expect(scrape()).rejects.toThrow("What answered is no GitHub.");
});

test("limits are kept: short ones waited for, long ones told", async () => {
  const { github, scrape } = await start();
  let refused = 0;
  github.instead = (_request, response) => {
    if ((refused += 1) > 2) return false;
    // The secondary limit, and the first one.
    if (refused === 1) response.writeHead(403, { "retry-after": "1" });
    else
      response.writeHead(429, {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000)),
      });
    response.end('{"message":"You have exceeded a secondary rate limit."}');
    return true;
  };
  const started = performance.now();
  const told = await scrape();
  expect(performance.now() - started).toBeGreaterThan(990);
  expect(told.items).toHaveLength(3);
  expect(told.notices).toEqual([
    expect.stringMatching(/^GitHub was asked for more than it takes; it was waited for \ds\.$/),
  ]);
  let asked = 0;
  github.instead = (request, response) => {
    if (!request.url?.includes("/workflows/8/")) return false;
    asked += 1;
    const reset = Math.ceil(Date.now() / 1000) + 2400;
    response
      .writeHead(403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) })
      .end('{"message":"API rate limit exceeded"}');
    return true;
  };
  await expect(scrape()).rejects.toThrow(
    /gets too many requests \(403\) and asks to wait (40m|39m)/,
  );
  expect(asked).toBe(1);
});

test("what cannot be read of one workflow takes nothing from the others", async () => {
  const { github, scrape } = await start();
  github.instead = (request, response) => {
    if (!request.url?.includes("/workflows/7/")) return false;
    response.writeHead(502, { "retry-after": "0" }).end("<html>Bad gateway</html>");
    return true;
  };
  const told = await scrape();
  expect(told.items.map(({ name }) => name)).toEqual(["shop/nightly", "shop/old"]);
  expect(told.failures).toEqual([
    expect.stringContaining(
      "The runs of example/shop, release could not be read: GitHub answered 502",
    ),
  ]);
  expect(told.unseen).toEqual(["GitHubAction::Workflow example shop"]);
});

test("a server that goes away in the middle is a failure", async () => {
  const { github, scrape } = await start();
  github.instead = (request, response) => {
    if (!request.url?.includes("/workflows/8/")) return false;
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write('{"total_count":1,');
    response.destroy();
    return true;
  };
  await expect(scrape()).rejects.toThrow();
});
