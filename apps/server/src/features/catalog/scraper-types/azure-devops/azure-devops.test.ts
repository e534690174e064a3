import { afterEach, expect, test } from "vitest";
import { closeAll } from "#platform/outbound/testing/serve.ts";
import { devOpsToken, type GivenProject, startDevOps } from "../testing/azure-devops-server.ts";
import { scrapeWith } from "../testing/scrape.ts";

/** Against a stand-in of the REST API of Azure DevOps. */

afterEach(closeAll);

const at = (day: number, minute = 0) => new Date(Date.UTC(2026, 5, day, 9, minute)).toISOString();

const shop: GivenProject = {
  definitions: [
    {
      id: 1,
      name: "build-web",
      variables: { env: { value: "dev" }, key: { isSecret: true, value: "s3cret" } },
    },
    { id: 2, name: "build-api" },
    { id: 3, name: "deploy" },
    { id: 4, name: "idle", queueStatus: "disabled" },
  ],
  builds: [
    { id: 10, definition: 1, queueTime: at(1), result: "failed" },
    { id: 11, definition: 1, queueTime: at(13), finishTime: at(13, 4) },
    {
      id: 12,
      definition: 1,
      queueTime: at(14),
      status: "inProgress",
      uniqueName: "bea@example.org",
    },
    {
      id: 13,
      definition: 2,
      queueTime: at(14, 1),
      result: "failed",
      sourceBranch: "refs/heads/x/y",
    },
    { id: 9, definition: 2, queueTime: at(13), result: "canceled" },
    { id: 15, definition: 3, queueTime: at(13), result: "partiallySucceeded" },
  ],
};

async function start(projects: Record<string, GivenProject> = { "web site": shop }) {
  const devops = await startDevOps(structuredClone(projects));
  const scrape = (spec: object = {}, more: Parameters<typeof scrapeWith>[2] = {}) =>
    scrapeWith(
      "azureDevops",
      {
        url: devops.url,
        organization: "shop",
        personalAccessToken: { value: devOpsToken },
        ...spec,
      },
      more,
    );
  return { devops, scrape };
}

test("pipelines are items, as their last run was; runs are changes with who and when", async () => {
  const { scrape } = await start();
  const { items, changes, failures, notices } = await scrape();
  expect([failures, notices]).toEqual([[], []]);
  expect(items.map(({ name, status, health }) => [name, status, health])).toEqual([
    ["build-web", "Succeeded", "healthy"],
    ["build-api", "Failed", "unhealthy"],
    ["deploy", "PartiallySucceeded", "warning"],
    ["idle", "Disabled", "unknown"],
  ]);
  expect(items[0]).toMatchObject({
    externalId: "azuredevops://shop/web site/pipeline/1",
    type: "AzureDevops::Pipeline",
    configClass: "Deployment",
    tags: { organization: "shop", project: "web site" },
    labels: { folder: "/apps" },
    config: {
      process: { yamlFilename: "/azure-pipelines.yml" },
      repository: { name: "shop", defaultBranch: "refs/heads/main" },
      variables: { env: { value: "dev" }, key: { isSecret: true } },
      authoredBy: "ann@example.org",
    },
  });
  expect(JSON.stringify(items)).not.toMatch(/s3cret|lastUpdateTime|latestBuild/);
  expect(
    changes.map(({ changeType, severity, summary, createdBy }) => [
      changeType,
      severity,
      summary,
      createdBy,
    ]),
  ).toEqual([
    ["Failed", "high", "2026.13 (x/y); Mend 13; took 0s", "ann@example.org"],
    ["InProgress", "info", "2026.12 (main); Mend 12", "bea@example.org"],
    ["Succeeded", "info", "2026.11 (main); Mend 11; took 4m", "ann@example.org"],
    ["Cancelled", "low", "2026.9 (main); Mend 9; took 0s", "ann@example.org"],
    ["PartiallySucceeded", "medium", "2026.15 (main); Mend 15; took 0s", "ann@example.org"],
  ]);
  expect(changes[2]).toMatchObject({
    item: { externalId: "azuredevops://shop/web site/pipeline/1" },
    externalChangeId: "shop/web site/1/11",
    createdAt: new Date(at(13)),
    details: { buildNumber: "2026.11", reason: "individualCI", project: "web site" },
  });
});

test("projects and pipelines by pattern, runs by age, page by page", async () => {
  const names = ["a", "b", "c", "d", "web one", "web two", "web old"];
  const { devops, scrape } = await start(Object.fromEntries(names.map((name) => [name, shop])));
  const told = await scrape({
    projects: ["web *", "!*old"],
    pipelines: ["build-*"],
    maxAge: "30d",
  });
  expect(told.items.map(({ tags, name }) => `${tags.project}/${name}`)).toEqual([
    "web one/build-web",
    "web one/build-api",
    "web two/build-web",
    "web two/build-api",
  ]);
  expect(told.changes).toHaveLength(10);
  const builds = devops.asked.find(({ path }) => path.endsWith("/builds"))!.query;
  expect([builds.get("definitions"), builds.get("minTime")]).toEqual([
    "1,2",
    "2026-05-16T12:00:00.000Z",
  ]);
  const none = await scrape({ projects: ["nothing"] });
  expect(none.notices).toEqual(["shop has no project nothing that the token may read."]);
});

test.each<[string, number, Record<string, string>, string, string]>([
  ["a page to sign in", 203, {}, "<html>", "did not accept the credentials (203)"],
  [
    "a way to one",
    302,
    { location: "https://x.example.org/_signin" },
    "",
    "did not accept the credentials",
  ],
  [
    "a page with its error",
    401,
    {},
    "<html><p>TF400813: The user '' is not authorized.</p>",
    "(401): TF400813: The user '' is not authorized.",
  ],
  [
    "a token that may not",
    403,
    {},
    '{"message":"TF50309: missing permission"}',
    "does not allow it with these credentials (403): TF50309",
  ],
  ["something else", 200, {}, '{"value":1}', "What answered is no Azure DevOps."],
])("%s", async (_name, code, headers, body, message) => {
  const { devops, scrape } = await start();
  devops.instead = (_request, response) => {
    response.writeHead(code, headers).end(body);
    return true;
  };
  await expect(scrape()).rejects.toThrow(message);
});

test("wrong credentials are not repeated", async () => {
  const { scrape } = await start();
  const wrong = scrape({ personalAccessToken: { value: "wrong-one" } });
  await expect(wrong).rejects.toThrow("did not accept the credentials (203)");
  await expect(wrong).rejects.not.toThrow("wrong-one");
  await expect(scrape({ personalAccessToken: undefined })).rejects.toThrow("personalAccessToken");
});

test("it waits when it is asked to; what it may not read of one project leaves the others", async () => {
  const { devops, scrape } = await start({ one: shop, two: shop });
  let isFirst = true;
  devops.instead = (request, response) => {
    const isOne = request.url?.includes("/one/_apis/build/builds") === true;
    if (isOne) response.writeHead(403).end('{"message":"TF50309: not for you"}');
    else if (isFirst) response.writeHead(429, { "retry-after": "0" }).end();
    isFirst = false;
    return response.writableEnded;
  };
  const told = await scrape();
  expect(told.items).toHaveLength(8);
  expect(told.changes).toHaveLength(5);
  expect(told.failures).toEqual([expect.stringMatching(/^one: .*TF50309: not for you/)]);
});

test("an answer that asks for a pause before the next one gets it, if it is no longer than what is waited at all", async () => {
  const { devops, scrape } = await start({ shop });
  const pauses = ["1", "4000"];
  devops.instead = (_request, response) => {
    const pause = pauses.shift();
    if (pause !== undefined) response.setHeader("retry-after", pause);
    return false;
  };
  const told = await scrape();
  expect(told.items).toHaveLength(4);
  expect(told.notices).toEqual([expect.stringMatching(/Azure DevOps .*waited for 1s/)]);
});

test("a page that ends in the middle, and one that comes again and again", async () => {
  const { devops, scrape } = await start();
  devops.instead = (request, response) => {
    if (!request.url?.includes("/builds")) return false;
    response.writeHead(200, { "content-length": "500" }).write('{"value":[');
    response.destroy();
    return true;
  };
  await expect(scrape()).rejects.toThrow();
  devops.instead = (_request, response) => {
    response.writeHead(200, { "x-ms-continuationtoken": "5" }).end('{"value":[]}');
    return true;
  };
  await expect(scrape()).rejects.toThrow("the same page of projects again and again");
  let pages = 0;
  devops.instead = (_request, response) => {
    pages += 1;
    response.writeHead(200, { "x-ms-continuationtoken": String(pages) }).end('{"value":[]}');
    return true;
  };
  await expect(scrape()).rejects.toThrow("page after page of projects without anything on it");
});

const ann = { displayName: "Ann", uniqueName: "ann@example.org" };
const stage = (id: number, name: string, status: string, more = {}) => ({
  id,
  name,
  status,
  ...more,
});
const whole: GivenProject = {
  ...shop,
  releaseDefinitions: [
    { id: 7, name: "web", path: "\\prod", revision: 3, createdBy: ann, createdOn: at(1) },
    { id: 8, name: "old", path: "\\" },
  ],
  releases: [
    {
      id: 70,
      name: "Release-70",
      createdOn: at(14),
      createdBy: ann,
      releaseDefinition: { id: 7 },
      environments: [
        stage(1, "test", "succeeded"),
        stage(2, "prod", "rejected", {
          preDeployApprovals: [
            { status: "approved", approvedBy: ann, comments: "go" },
            { status: "approved", isAutomated: true },
          ],
        }),
        stage(3, "edge", "inProgress", { preDeployApprovals: [{ status: "pending" }] }),
        stage(4, "far", "notStarted"),
      ],
    },
    { id: 60, name: "Release-60", createdOn: at(1), releaseDefinition: { id: 7 } },
  ] as never,
  repositories: [
    { id: "r1", name: "shop", defaultBranch: "refs/heads/main", size: 5, webUrl: "https://x/shop" },
    { id: "r2", name: "archive", isDisabled: true },
  ],
};

test("releases with their stages, and repositories that pipelines build", async () => {
  const { scrape } = await start({ shop: whole });
  const told = await scrape({ releases: ["web"], repositories: ["*"] });
  expect([told.failures, told.notices]).toEqual([[], []]);
  expect(told.item("AzureDevops::Release", "web")).toMatchObject({
    externalId: "azuredevops://shop/shop/release/7",
    status: "Failed",
    health: "unhealthy",
    labels: { folder: "/prod" },
    config: { revision: 3, createdBy: "ann@example.org" },
  });
  const changes = told.changes.filter(({ item }) => item.type === "AzureDevops::Release");
  expect(changes).toMatchObject([
    {
      externalChangeId: "shop/shop/release/7/70/1",
      changeType: "Succeeded",
      summary: "Release-70 / test",
    },
    {
      externalChangeId: "shop/shop/release/7/70/2",
      changeType: "Failed",
      severity: "high",
      createdBy: "ann@example.org",
      details: { preDeployApprovals: [{ approvedBy: "ann@example.org", comments: "go" }] },
    },
  ]);
  expect(changes[1]!.details).toMatchObject({ preDeployApprovals: { length: 1 } });
  const repository = told.item("AzureDevops::Repository", "shop");
  expect(repository.config).not.toHaveProperty("size");
  expect(told.item("AzureDevops::Repository", "archive").status).toBe("Disabled");
  expect(told.item("AzureDevops::Pipeline", "build-web").relations).toEqual([
    {
      to: { externalId: repository.externalId, type: repository.type },
      relation: "RepositoryPipeline",
      isIncoming: true,
    },
  ]);
});

test("a release of long ago that goes out today is news of today, stage by stage", async () => {
  const deployment = (release: number, environment: number, day: number, more = {}) => ({
    id: release * 100 + environment * 10 + day,
    release: { id: release },
    releaseDefinition: { id: 7 },
    releaseEnvironment: { id: environment },
    queuedOn: at(day),
    lastModifiedOn: at(day, 30),
    ...more,
  });
  const { devops, scrape } = await start({
    shop: {
      ...whole,
      releases: [
        whole.releases![0],
        {
          id: 50,
          name: "Release-50",
          createdOn: at(1),
          releaseDefinition: { id: 7 },
          environments: [stage(1, "test", "succeeded"), stage(2, "prod", "rejected")],
        },
        { id: 40, name: "Release-40", createdOn: at(1), releaseDefinition: { id: 7 } },
      ] as never,
      deployments: [
        deployment(50, 2, 14),
        // An earlier attempt, of a pipeline that is not meant, and older than what is asked for.
        deployment(50, 2, 12),
        deployment(90, 1, 14, { releaseDefinition: { id: 8 } }),
        deployment(40, 1, 2),
        deployment(70, 1, 15),
      ],
    },
  });
  const told = await scrape({ releases: ["web"] });
  expect([told.failures, told.notices]).toEqual([[], []]);
  const changes = told.changes.filter(({ item }) => item.type === "AzureDevops::Release");
  expect(
    changes.map(({ summary, changeType, createdAt }) => [summary, changeType, createdAt]),
  ).toEqual([
    ["Release-70 / test", "Succeeded", new Date(at(15))],
    ["Release-70 / prod", "Failed", new Date(at(14))],
    ["Release-50 / prod", "Failed", new Date(at(14))],
  ]);
  const asked = devops.asked.filter(({ query }) => query.has("releaseIdFilter"));
  expect(asked.map(({ query }) => query.get("releaseIdFilter"))).toEqual(["50"]);
  // Who may not see deployments sees the releases.
  devops.instead = (request, response) => {
    if (!request.url?.includes("/deployments")) return false;
    response.writeHead(403).end('{"message":"TF50309: not for you"}');
    return true;
  };
  const refused = await scrape({ releases: ["web"] });
  expect(refused.failures).toEqual([expect.stringMatching(/older releases.*TF50309/)]);
  expect(refused.unseen).toEqual([]);
  expect(refused.changes.filter(({ item }) => item.type === "AzureDevops::Release")).toHaveLength(
    2,
  );
  // What breaks off tells nothing: its changes would be others than those of before.
  devops.instead = (request, response) => {
    if (!request.url?.includes("/deployments")) return false;
    response.writeHead(500).end("{}");
    return true;
  };
  const broken = await scrape({ releases: ["web"] });
  expect(broken.failures).toEqual([expect.stringContaining("500")]);
  expect(broken.changes.filter(({ item }) => item.type === "AzureDevops::Release")).toEqual([]);
  expect(broken.unseen).toEqual([expect.stringContaining("AzureDevops::Release")]);
});

test("the audit log, from where it was read to: each entry of what it names", async () => {
  const { devops, scrape } = await start({ shop: whole });
  const entry = (id: string, day: number, area: string, more = {}) => ({
    id,
    timestamp: at(day),
    actionId: `${area}.Changed`,
    area,
    category: "modify",
    actorUPN: "ann@example.org",
    details: `${area} was changed`,
    projectName: "shop",
    ...more,
  });
  devops.audit = [
    entry("e1", 15, "Pipelines", { data: { PipelineId: 1 } }),
    entry("e2", 14, "Release", { data: { PipelineId: 7 }, category: "remove" }),
    entry("e3", 14, "Git", { data: { RepoId: "r1" } }),
    entry("e4", 13, "Token", { projectName: undefined }),
    entry("e5", 13, "AuditLog", { actionId: "AuditLog.AccessLog" }),
  ];
  const spec = { auditLog: { enabled: true, exclusions: ["AuditLog."] } };
  const told = await scrape(spec);
  const audited = told.changes.filter(({ source }) => source === "AzureDevops/AuditLog");
  expect(
    audited.map(({ externalChangeId, item, severity }) => [
      externalChangeId,
      item.externalId,
      severity,
    ]),
  ).toEqual([
    ["e1", "azuredevops://shop/shop/pipeline/1", "info"],
    ["e2", "azuredevops://shop/shop/release/7", "high"],
    ["e3", "azuredevops://shop/shop/repository/r1", "info"],
    ["e4", "azuredevops://shop", "medium"],
  ]);
  expect(told.item("AzureDevops::Organization", "shop").externalId).toBe("azuredevops://shop");
  await scrape(spec, { stood: told.position });
  const last = devops.asked.findLast(({ path }) => path.endsWith("/auditlog"))!.query;
  expect(last.get("startTime")).toBe("2026-06-15T11:45:00.000Z");
  // Whoever may not read it reads the rest.
  devops.instead = (request, response) => {
    if (!request.url?.includes("/auditlog")) return false;
    response.writeHead(403).end('{"message":"TF400813: not for you"}');
    return true;
  };
  const refused = await scrape(spec);
  expect(refused.failures).toEqual([expect.stringMatching(/^audit log: .*TF400813/)]);
  expect([refused.unseen, refused.items.length]).toEqual([[], 5]);
});
