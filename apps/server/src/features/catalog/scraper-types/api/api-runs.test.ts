import type { ScraperType } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Database } from "#platform/db/database.ts";
import { closeAll } from "#platform/outbound/testing/serve.ts";
import { testDatabase } from "../../../../testing/app.ts";
import { createDifferences } from "../../changes/differences.ts";
import { scrapeInto } from "../../testing/scrape-into.ts";
import { azureId, shopOfAzure, startAzure } from "../testing/azure-server.ts";
import { devOpsToken, startDevOps } from "../testing/azure-devops-server.ts";
import { startShop } from "../testing/shop-cluster.ts";
import { githubToken, startGitHub } from "../testing/github-server.ts";

/** What scrapers of web APIs find, written as the worker writes it: once, however often they ask. */

const differences = createDifferences();
let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => ({ db, drop } = await testDatabase()));
afterEach(closeAll);
afterAll(async () => {
  await differences.close();
  await drop();
});

async function scraperOf(type: ScraperType, spec: object) {
  const row = await db.first<{ id: string }>(
    sql`insert into config_scrapers (name, spec) values (${type} || gen_random_uuid(), '{}') returning id`,
  );
  const id = row!.id;
  return {
    id,
    scrape: () => scrapeInto(db, id, { type, spec }, { differences }),
    changes: () =>
      db.rows(sql`
        select c.external_change_id, c.change_type, c.severity, c.count::int, c.external_created_by
          from config_changes c join config_items i on i.id = c.config_id
         where i.scraper_id = ${id} and c.external_change_id is not null order by 1`),
    items: () =>
      db.rows<{ name: string }>(
        sql`select name, health, status from config_items where scraper_id = ${id} and deleted_at is null order by 1`,
      ),
  };
}

/** What goes away, of which a part cannot be seen any more. */
interface Refusing extends Awaited<ReturnType<typeof scraperOf>> {
  remove(): void;
  /** What is ended then. */
  gone: string[];
  message: RegExp;
}

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3600_000).toISOString();

test("a run that ends is the same run, and nothing that stays is told twice", async () => {
  const release = {
    id: 7,
    name: "release",
    runs: [{ id: 70, run_number: 1, status: "in_progress", created_at: hoursAgo(1) }],
  };
  const github = await startGitHub({ shop: [release] });
  const { scrape, changes, items } = await scraperOf("githubActions", {
    url: github.url,
    owner: "example",
    repository: "shop",
    personalAccessToken: { value: githubToken },
  });
  expect(await scrape()).toMatchObject({ isComplete: true, errors: [], added: 1 });
  const [row] = await changes();
  expect(row).toMatchObject({ change_type: "GitHubActionRunInProgress", count: 1 });
  release.runs[0]!.status = "completed";
  expect(await scrape()).toMatchObject({ updated: 1, unchanged: 0 });
  const ended = [
    {
      external_change_id: "release/7/70",
      change_type: "GitHubActionRunSuccess",
      severity: "info",
      count: 1,
      external_created_by: "ann",
    },
  ];
  expect(await changes()).toEqual(ended);
  expect(await items()).toEqual([{ name: "shop/release", health: "healthy", status: "Success" }]);
  expect(await scrape()).toMatchObject({ added: 0, updated: 0, unchanged: 1, warnings: [] });
  expect(await changes()).toEqual(ended);
  // Half of it is missing: nothing is gone for that.
  github.instead = (request, response) => {
    if (!request.url?.includes("/runs")) return false;
    response.writeHead(404).end('{"message":"Not Found"}');
    return true;
  };
  expect(await scrape()).toMatchObject({ isComplete: false, deleted: 0 });
  expect(await items()).toHaveLength(1);
});

test("pipelines and their runs", async () => {
  const builds = [
    { id: 3, definition: 5, queueTime: hoursAgo(2), status: "inProgress" },
    { id: 2, definition: 5, queueTime: hoursAgo(3), result: "failed" },
  ];
  const devops = await startDevOps({
    shop: { definitions: [{ id: 5, name: "build" }], builds },
  });
  const { scrape, changes, items } = await scraperOf("azureDevops", {
    url: devops.url,
    organization: "shop",
    personalAccessToken: { value: devOpsToken },
  });
  await scrape();
  builds[0]!.status = "completed";
  await scrape();
  expect(await scrape()).toMatchObject({ errors: [], added: 0, updated: 0, unchanged: 1 });
  expect(await changes()).toMatchObject([
    { external_change_id: "shop/shop/5/2", change_type: "Failed", severity: "high", count: 1 },
    { external_change_id: "shop/shop/5/3", change_type: "Succeeded", count: 1 },
  ]);
  expect(await items()).toEqual([{ name: "build", health: "healthy", status: "Succeeded" }]);
});

test.each<[string, () => Promise<Refusing>]>([
  [
    "a kind of a cluster",
    async () => {
      const shop = await startShop();
      onTestFinished(() => shop.server.close());
      return {
        ...(await scraperOf("kubernetes", { clusterName: "p", kubeconfig: shop.kubeconfig })),
        remove() {
          shop.remove("ConfigMap/web-config");
          shop.remove("Secret/web-secret");
          shop.server.intercept = ({ path }, response) => {
            if (!path.endsWith("/secrets")) return false;
            response.writeHead(500).end("");
            return true;
          };
        },
        gone: ["web-config"],
        message: /cannot list Secret/,
      };
    },
  ],
  [
    "a project of Azure DevOps",
    async () => {
      const projects = {
        shop: {
          definitions: [
            { id: 5, name: "build" },
            { id: 6, name: "old" },
          ],
          builds: [],
        },
        till: { definitions: [{ id: 7, name: "print" }], builds: [] },
      };
      const devops = await startDevOps(projects);
      const spec = {
        url: devops.url,
        organization: "shop",
        personalAccessToken: { value: devOpsToken },
      };
      return {
        ...(await scraperOf("azureDevops", spec)),
        remove() {
          projects.shop.definitions.pop();
          projects.till.definitions.pop();
          devops.instead = (request, response) => {
            if (!request.url?.startsWith("/shop/till/")) return false;
            response.writeHead(403).end("{}");
            return true;
          };
        },
        gone: ["old"],
        message: /^azureDevops-0: till: .*403/,
      };
    },
  ],
])("what is gone is ended, though %s cannot be read", async (_what, start) => {
  const { id, scrape, remove, gone, message } = await start();
  await scrape();
  remove();
  await db.run(sql`
    update config_item_scrapes set seen_at = seen_at - interval '3 days'
     where config_id in (select id from config_items where scraper_id = ${id})`);
  expect((await scrape()).errors).toEqual([expect.stringMatching(message)]);
  const ended = await db.rows<{ name: string }>(
    sql`select name from config_items where scraper_id = ${id} and delete_reason = 'STALE'`,
  );
  expect(ended.map(({ name }) => name)).toEqual(gone);
});

test("a subscription: items under others, what uses what, operations that go on", async () => {
  const event = (hours: number, status: string, level = "Informational") => ({
    correlationId: "c1",
    eventTimestamp: hoursAgo(hours),
    operationName: { value: "Microsoft.Compute/virtualMachines/write" },
    resourceId: azureId("Microsoft.Compute/virtualMachines/WEB"),
    caller: "ann@example.org",
    level,
    status: { value: status },
  });
  const log = "/providers/microsoft.insights/eventtypes/management/values";
  const azure = await startAzure({ ...shopOfAzure(), [log]: [event(2, "Started")] });
  const { id, scrape, changes, items } = await scraperOf("azure", azure.spec);
  expect(await scrape()).toMatchObject({ isComplete: true, errors: [], warnings: [], added: 21 });
  azure.lists[log]!.unshift(event(1.9, "Failed", "Error"));
  expect(await scrape()).toMatchObject({ added: 0, updated: 0, unchanged: 21, warnings: [] });
  const failed = [
    {
      external_change_id: "c1/Microsoft.Compute/virtualMachines/write",
      change_type: "Microsoft.Compute/virtualMachines/write",
      severity: "high",
      count: 1,
      external_created_by: "ann@example.org",
    },
  ];
  expect(await changes()).toEqual(failed);
  await scrape();
  expect(await changes()).toEqual(failed);
  const above = await db.rows(sql`
    select array(select a.name from unnest(string_to_array(i.path, '.')) with ordinality p (id, place)
                   join config_items a on a.id = p.id::uuid order by place) as above
      from config_items i where i.scraper_id = ${id} and i.name in ('front', 'orders') order by i.name`);
  expect(above).toEqual([{ above: ["Shop", "Shop", "net"] }, { above: ["Shop", "Shop", "sql"] }]);
  const related = await db.rows<{ relation: string }>(sql`
    select r.relation from config_relationships r join config_items i on i.id = r.config_id
     where i.scraper_id = ${id} and i.name = 'Web' and r.deleted_at is null and r.relation <> 'hard' order by 1`);
  expect(related.map(({ relation }) => relation)).toEqual([
    "VirtualMachineDisk",
    "VirtualMachineNetworkInterface",
  ]);
  // A list that cannot be read ends nothing of its type, and holds up no other; what the log says was deleted, and is
  // not listed, is gone.
  azure.instead = (request, response) => {
    if (!request.url?.includes("/disks")) return false;
    response.writeHead(403).end('{"error":{"code":"AuthorizationFailed","message":"no"}}');
    return true;
  };
  azure.lists["/resourcegroups"]!.pop();
  const disk = { name: "web-os", health: "healthy", status: expect.any(String) };
  expect(await items()).toContainEqual(disk);
  await db.run(sql`
    update config_item_scrapes set seen_at = seen_at - interval '3 days'
     where config_id in (select id from config_items where scraper_id = ${id})`);
  expect(await scrape()).toMatchObject({ isComplete: false, deleted: 1 });
  expect((await items()).map(({ name }) => name)).not.toContain("Old");
  expect(await items()).toContainEqual(disk);
  azure.instead = undefined;
  azure.lists["/providers/microsoft.compute/virtualmachines"]!.shift();
  azure.lists[log]!.unshift({
    ...event(1, "Succeeded"),
    correlationId: "c2",
    operationName: { value: "Microsoft.Compute/virtualMachines/delete" },
  });
  expect(await scrape()).toMatchObject({ isComplete: true, deleted: 1 });
  expect((await items()).map(({ name }) => name)).not.toContain("Web");
});
