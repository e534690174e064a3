import { afterEach, expect, test } from "vitest";
import type { JsonObject } from "../../changes/json-patch.ts";
import { closeAll } from "#platform/outbound/testing/serve.ts";
import { devOpsToken, startDevOps } from "../testing/azure-devops-server.ts";
import { scrapeWith } from "../testing/scrape.ts";

/** Against a stand-in of the REST API of Azure DevOps. */

afterEach(closeAll);

const build = "33344d9c-fc72-4d6f-aba5-fa317101a7e9";
const git = "2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87";
const [readers, makers, ann, service] = [
  "Microsoft.TeamFoundation.Identity;S-1-9-1",
  "Microsoft.TeamFoundation.Identity;S-1-9-2",
  "Microsoft.IdentityModel.Claims.ClaimsIdentity;t\\ann@example.org",
  "Microsoft.TeamFoundation.ServiceIdentity;b:Build:1",
] as const;

/** Some bits for somebody. */
const entry = (descriptor: string, allow: number, deny = 0) => ({
  [descriptor]: { descriptor, allow, deny },
});
const now = new Date("2026-06-15T12:00:00Z");
const hoursLater = (hours: number) => new Date(now.getTime() + hours * 3_600_000);

async function start() {
  const devops = await startDevOps({
    shop: {
      definitions: [
        { id: 1, name: "web" },
        { id: 2, name: "api" },
      ],
      builds: [],
      repositories: [
        { id: "r1", name: "shop" },
        { id: "r2", name: "till" },
      ],
    },
  });
  devops.security = {
    lists: {
      [build]: [
        {
          token: "p0",
          acesDictionary: { ...entry(readers, 1), ...entry(makers, 1 | 128 | 2048) },
        },
        // Of the folder in which both are: the nearer one holds.
        { token: "P0/apps", acesDictionary: entry(makers, 0, 2048) },
        { token: "p0/apps/2", acesDictionary: { ...entry(ann, 16_384), ...entry(makers, 2048) } },
        {
          token: "p0/apps/9",
          acesDictionary: entry("Microsoft.TeamFoundation.Identity;S-1-9-99", 1),
        },
      ],
      [git]: [
        { token: "repoV2", acesDictionary: entry(readers, 2) },
        { token: "repoV2/p0", acesDictionary: entry(makers, 2 | 4) },
        {
          token: "repoV2/p0/r2",
          inheritPermissions: false,
          acesDictionary: { ...entry(ann, 2, 4), ...entry(service, 2), ...entry("nobody;1", 4) },
        },
      ],
    },
    identities: [
      {
        id: "i1",
        descriptor: readers,
        subjectDescriptor: "vssgp.1",
        providerDisplayName: "[shop]\\Readers",
        isContainer: true,
        members: [ann],
      },
      {
        id: "i2",
        descriptor: makers,
        subjectDescriptor: "vssgp.2",
        providerDisplayName: "[shop]\\Contributors",
        isContainer: true,
        members: [readers, service],
      },
      {
        id: "i3",
        descriptor: ann,
        subjectDescriptor: "aad.3",
        providerDisplayName: "Ann",
        properties: { Mail: { $type: "System.String", $value: "ann@example.org" } },
      },
      {
        id: "i4",
        descriptor: service,
        subjectDescriptor: "svc.4",
        providerDisplayName: "Build Service",
      },
    ] as never,
    groups: [{ descriptor: "vssgp.1" }, { descriptor: "vssgp.2" }, { descriptor: "vssgp.3" }],
  };
  const scrape = (permissions: object, more: Parameters<typeof scrapeWith>[2] = {}) =>
    scrapeWith(
      "azureDevops",
      {
        url: devops.url,
        organization: "shop",
        personalAccessToken: { value: devOpsToken },
        repositories: ["*"],
        permissions: { enabled: true, ...permissions },
      },
      { now, ...more },
    );
  const securityAsked = () =>
    devops.asked.filter(({ path }) => /accesscontrollists|identities|graph/.test(path)).length;
  return { devops, scrape, securityAsked };
}

const accessOf = ({ config }: { config: unknown }) => (config as JsonObject).access;

test("who may do what is a part of what an item is: from the root to the thing, the nearest holds", async () => {
  const { scrape } = await start();
  const told = await scrape({});
  expect([told.failures, told.notices]).toEqual([[], []]);
  const contributors = { name: "[shop]\\Contributors", kind: "group" };
  expect(accessOf(told.item("AzureDevops::Pipeline", "web"))).toEqual([
    { ...contributors, roles: ["Viewer", "Developer"], permissions: ["ViewBuilds", "QueueBuilds"] },
    { name: "[shop]\\Readers", kind: "group", roles: ["Viewer"], permissions: ["ViewBuilds"] },
  ]);
  expect(accessOf(told.item("AzureDevops::Pipeline", "api"))).toMatchObject([
    { name: "Ann", kind: "user", roles: ["Admin"], permissions: ["AdministerBuildPermissions"] },
    { permissions: ["ViewBuilds", "QueueBuilds", "EditBuildPipeline"] },
    { name: "[shop]\\Readers" },
  ]);
  expect(accessOf(told.item("AzureDevops::Repository", "shop"))).toMatchObject([
    { ...contributors, permissions: ["Read", "Contribute"] },
    { name: "[shop]\\Readers", permissions: ["Read"] },
  ]);
  // It inherits nothing; nobody knows the third.
  expect(accessOf(told.item("AzureDevops::Repository", "till"))).toEqual([
    { name: "Ann", kind: "user", roles: ["Viewer"], permissions: ["Read"] },
    { name: "Build Service", kind: "service", roles: ["Viewer"], permissions: ["Read"] },
  ]);
  const person = told.item("AzureDevops::User", "Ann");
  expect(person).toMatchObject({
    externalId: "azuredevops://shop/identity/i3",
    configClass: "User",
    tags: { organization: "shop" },
    config: { kind: "user", account: "ann@example.org" },
  });
  expect(told.item("AzureDevops::Repository", "till").relations).toContainEqual({
    to: { externalId: person.externalId, type: "AzureDevops::User" },
    relation: "RepositoryUser",
  });
  expect(told.types).toEqual({
    "AzureDevops::Pipeline": 2,
    "AzureDevops::Repository": 2,
    "AzureDevops::User": 2,
    "AzureDevops::Group": 2,
  });
});

test("roles are what the document says; what can be no permission is told", async () => {
  const { scrape } = await start();
  const told = await scrape({
    roles: { Writer: ["Git:Contribute", "Pipeline:EditBuildPipeline"], Odd: ["Wiki:Read"] },
  });
  expect(accessOf(told.item("AzureDevops::Repository", "shop"))).toMatchObject([
    { roles: ["Writer"] },
    { roles: [] },
  ]);
  expect(told.notices).toEqual([expect.stringContaining("permissions.roles: Wiki:Read")]);
});

test("groups with who is in them, page by page; several at once are one request", async () => {
  const { devops, scrape } = await start();
  const told = await scrape({ groups: true });
  const group = told.item("AzureDevops::Group", "[shop]\\Contributors");
  expect(group.config).toMatchObject({ members: ["Build Service", "[shop]\\Readers"] });
  expect(group.relations.map(({ relation }) => relation).toSorted()).toEqual([
    "GroupGroup",
    "GroupUser",
  ]);
  expect(devops.asked.filter(({ path }) => path.endsWith("/graph/groups"))).toHaveLength(2);
  expect(devops.asked.filter(({ query }) => query.has("subjectDescriptors"))).toHaveLength(1);
});

test("it is read as often as the document says, and whenever there is something new", async () => {
  const { devops, scrape, securityAsked } = await start();
  const first = await scrape({ groups: true });
  const asked = securityAsked();
  devops.security.lists[build]![0]!.acesDictionary = entry(readers, 1);
  const again = await scrape(
    // What is no duration is read as none at all.
    { groups: true, rateLimit: "often" },
    { stood: first.position, now: hoursLater(23) },
  );
  expect(securityAsked()).toBe(asked);
  expect(again.items).toEqual(first.items);
  devops.projects.shop!.definitions.push({ id: 3, name: "new" });
  const more = await scrape({ groups: true }, { stood: again.position, now: hoursLater(23) });
  expect(accessOf(more.item("AzureDevops::Pipeline", "new"))).toMatchObject([
    { name: "[shop]\\Readers" },
  ]);
  const before = securityAsked();
  await scrape({ groups: true, rateLimit: "1h" }, { stood: more.position, now: hoursLater(24) });
  expect(securityAsked()).toBeGreaterThan(before);
});

test("what may not be read ends nothing, and takes nothing from what is known", async () => {
  const { devops, scrape } = await start();
  const first = await scrape({ groups: true });
  devops.instead = (request, response) => {
    if (!/accesscontrollists|graph/.test(request.url ?? "")) return false;
    response.writeHead(403).end('{"message":"TF50309: not for you"}');
    return true;
  };
  const refused = await scrape({ groups: true }, { stood: first.position, now: hoursLater(30) });
  expect(refused.failures).toEqual([
    expect.stringMatching(/^shop: who may do what is not read: .*TF50309/),
    expect.stringMatching(/^shop: who may do what is not read: .*TF50309/),
    expect.stringMatching(/^who is in which group is not read: .*TF50309/),
  ]);
  expect(refused.items).toEqual(first.items);
  expect(refused.unseen).toEqual([]);
  // Nothing was known of them: nobody is taken for gone.
  const fresh = await scrape({});
  expect(fresh.items).toHaveLength(4);
  expect(fresh.unseen).toEqual(["AzureDevops::User shop", "AzureDevops::Group shop"]);
  // Neither when the pipelines themselves cannot be listed.
  devops.instead = (request, response) => {
    if (!request.url?.includes("/build/definitions")) return false;
    response.writeHead(403).end("{}");
    return true;
  };
  const hidden = await scrape({}, { stood: first.position });
  expect(hidden.unseen).toEqual(["AzureDevops::Pipeline shop shop"]);
  expect(hidden.item("AzureDevops::Group", "[shop]\\Contributors").externalId).toBeTruthy();
  expect(hidden.position).toMatchObject({ permissions: { projects: { "shop/pipeline": {} } } });
});

test("people that could not be asked for once are asked for again", async () => {
  const { devops, scrape } = await start();
  let isFirst = true;
  devops.instead = (request, response) => {
    if (!isFirst || !request.url?.includes("/identities")) return false;
    isFirst = false;
    response.writeHead(403).end('{"message":"TF50309: not for you"}');
    return true;
  };
  const told = await scrape({});
  expect(told.failures).toEqual([expect.stringContaining("TF50309")]);
  expect(accessOf(told.item("AzureDevops::Repository", "shop"))).toMatchObject([
    { name: "[shop]\\Contributors" },
    { name: "[shop]\\Readers" },
  ]);
});

test.each<[string, string]>([
  ["an answer that is none", "<html>"],
  ["no permissions at all", '{"value":[{"actions":null}]}'],
  ["wrong types all over", '{"value":[{"actions":[{"bit":"1","name":7},5]}]}'],
])("strange answers end nothing: %s", async (_what, body) => {
  const { devops, scrape } = await start();
  devops.instead = (request, response) => {
    if (!request.url?.includes("/securitynamespaces/")) return false;
    response.writeHead(200).end(body);
    return true;
  };
  const told = await scrape({});
  expect(told.types).toEqual({ "AzureDevops::Pipeline": 2, "AzureDevops::Repository": 2 });
  expect(told.failures).toEqual(Array(2).fill(expect.stringContaining("is not read: ")));
});

test("lists of wrong types, a waiting time in the middle, and a position that is none", async () => {
  const { devops, scrape } = await start();
  devops.security.lists[git] = [
    { token: "repoV2/p0/", acesDictionary: "x" },
    {
      token: "repoV2/p0",
      acesDictionary: { [readers]: { allow: -1, deny: "2" }, [makers]: null, [ann]: { allow: 2 } },
    },
  ] as never;
  let isFirst = true;
  devops.instead = (request, response) => {
    if (!isFirst || !request.url?.includes("/accesscontrollists/")) return false;
    isFirst = false;
    response.writeHead(429, { "retry-after": "0" }).end();
    return true;
  };
  const told = await scrape({}, { stood: { permissions: { projects: 5 }, audit: "x" } });
  expect(told.failures).toEqual([]);
  expect(accessOf(told.item("AzureDevops::Repository", "shop"))).toMatchObject([{ name: "Ann" }]);
});
