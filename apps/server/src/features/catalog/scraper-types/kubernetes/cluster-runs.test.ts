import { kubeconfigOf } from "@mainstay/testkit/servers/index.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createLog } from "#platform/log.ts";
import { makeDue } from "#platform/jobs/claims.ts";
import { createApp } from "../../../../app.ts";
import { startTestApp, testConfig, type TestApp } from "../../../../testing/app.ts";
import { FOLLOW_SLOTS } from "../../scrapers/scraper-kind.ts";
import { scraperRuns } from "../../testing/scraper-runs.ts";
import { type ShopCluster, shopToken, startShop } from "../testing/shop-cluster.ts";

/** Documents that name a cluster, run by the program's own worker. */

let app: TestApp;
let shop: ShopCluster;
let runs: ReturnType<typeof scraperRuns>;
beforeAll(async () => {
  shop = await startShop({ watchMs: 30, exec: () => ({ stdout: "replicas: 2\n" }) });
  app = await startTestApp();
  runs = scraperRuns(app);
});
/** A config map, made and removed. */
const objectOf = (name: string) => ({
  make: () =>
    shop.add({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop" } }),
  remove: () => shop.remove(`ConfigMap/${name}`),
});
afterAll(async () => {
  await app.stop();
  await shop.server.close();
});

test("a cluster by its kubeconfig, which is kept and never shown", async () => {
  const id = await runs.apply({
    kubernetes: [{ clusterName: "prod", kubeconfig: shop.kubeconfig, watch: [] }],
    kubernetesFile: [
      {
        kubeconfig: shop.kubeconfig,
        selector: { namespace: "shop", kind: "Pod", name: "web-7f9c-x1" },
        files: [{ path: ["/etc/app.yaml"] }],
      },
    ],
  });
  const run = await runs.ran(id);
  expect(run.details.errors ?? []).toEqual([]);
  expect(run.status).toBe("SUCCESS");
  const file = await app.db.first(
    sql`select type, external_id, config from config_items where type = 'File'`,
  );
  expect(file).toEqual({
    type: "File",
    external_id: ["shop/Pod/web-7f9c-x1/etc/app.yaml"],
    config: { replicas: 2 },
  });
  const shown = JSON.stringify([
    run,
    await app.db.rows(sql`select spec from config_scrapers`),
    await app.db.rows(sql`select * from config_items`),
  ]);
  expect(shown).not.toMatch(new RegExp(`${shopToken}|aHVudGVyMg`));
});

test("a stored connection leads to a cluster, and another scraper of it takes nothing over", async () => {
  const made = await app.admin.post("/api/db/connections", {
    name: "shop",
    namespace: "default",
    type: "kubernetes",
    certificate: kubeconfigOf(shop.server, { token: shopToken }),
  });
  expect(made.status, made.text).toBe(201);
  const other = await runs.apply({
    kubernetes: [
      {
        clusterName: "prod",
        connection: "connection://default/shop",
        exclusions: { kind: ["!Node"] },
        watch: [],
      },
    ],
  });
  const run = await runs.ran(other);
  expect(run.status).toBe("SUCCESS");
  expect(JSON.stringify(run.details)).toContain("is already there, from the scraper");
  expect(JSON.stringify(run.details)).not.toContain(shopToken);
});

test("what happens between two scrapes is followed, and a cluster that is away is asked less and less", async () => {
  // Of another scraper, the objects are its own.
  await app.db.run(sql`update config_scrapers set deleted_at = now()`);
  await app.db.run(
    sql`update config_items set deleted_at = now(), delete_reason = 'SCRAPER_DELETED'`,
  );
  const id = await runs.apply({
    kubernetes: [{ clusterName: "prod", kubeconfig: shop.kubeconfig }],
  });
  expect((await runs.ran(id)).status).toBe("SUCCESS");
  /** Has it looked now, and again where a scrape has only just ended, until something holds. */
  const follow = (holds: () => Promise<void>) =>
    vi.waitFor(
      async () => {
        await app.db.transaction((tx) => makeDue(tx, FOLLOW_SLOTS, id));
        await holds();
      },
      { timeout: 20_000, interval: 100 },
    );
  const last = () =>
    app.db.first<{ status: string; details: { errors?: string[] } }>(sql`
      select status, details from job_history
       where resource_id = ${id} and name = 'ConsumeKubernetesWatchResources' order by created_at desc limit 1`);
  const position = () =>
    app.db.first<{ updated_at: Date; failures: number; is_waiting: boolean }>(sql`
      select updated_at, failures, coalesce(again_at > now() + interval '20 seconds', false) as is_waiting
        from config_scraper_positions where scraper_id = ${id}`);
  const begun = (await position())!;
  await follow(async () =>
    expect((await position())!.updated_at.getTime()).toBeGreaterThan(begun.updated_at.getTime()),
  );
  // Nothing happened, and nothing is said of it.
  expect(await last()).toBeUndefined();
  shop.update("Deployment/web", ({ spec }) => (spec.replicas = 7));
  shop.remove("ReplicaSet/web-7f9c");
  await follow(async () => expect((await last())?.status).toBe("SUCCESS"));
  const items = await app.db.rows(sql`
    select type, config #> '{spec,replicas}' as replicas, delete_reason from config_items
     where scraper_id = ${id} and name like 'web%' and type in ('Kubernetes::Deployment', 'Kubernetes::ReplicaSet') order by type`);
  expect(items).toEqual([
    { type: "Kubernetes::Deployment", replicas: 7, delete_reason: null },
    { type: "Kubernetes::ReplicaSet", replicas: 1, delete_reason: "FROM_EVENT" },
  ]);
  // What is made anew under its name has another uid: it is another item, and the one before it stays gone.
  const pod = structuredClone(shop.objects.get("Pod/web-7f9c-x1")!);
  shop.remove("Pod/web-7f9c-x1");
  const named = () =>
    app.db.rows<{ id: string; reason: string | null }>(sql`
      select id, delete_reason as reason from config_items
       where scraper_id = ${id} and name = 'web-7f9c-x1' order by created_at, delete_reason`);
  await follow(async () => expect(await named()).toMatchObject([{ reason: "FROM_EVENT" }]));
  const { id: goneId } = (await named())[0]!;
  shop.add(pod);
  await follow(async () => expect(await named()).toHaveLength(2));
  expect((await named()).map((item) => [item.id === goneId, item.reason])).toEqual(
    expect.arrayContaining([
      [true, "FROM_EVENT"],
      [false, null],
    ]),
  );
  shop.server.intercept = (_asked, response) => {
    response.writeHead(500).end("");
    return true;
  };
  await follow(async () => expect((await last())?.status).toBe("FAILED"));
  shop.server.intercept = undefined;
  expect((await last())!.details.errors![0]).toMatch(/kubernetes-0: cannot watch .* answered 500/);
  const { failures, is_waiting: isWaiting } = (await position())!;
  expect([failures > 0, isWaiting]).toEqual([true, true]);
  // A scrape sees everything, and begins anew.
  expect((await runs.rerun(id)).status).toBe("SUCCESS");
  expect(await position()).toMatchObject({ failures: 0, is_waiting: false });
  // How the scraper is says the scrape.
  const row = await app.db.first(
    sql`select job_name, job_status from config_scrapers_with_status where id = ${id}`,
  );
  expect(row).toEqual({ job_name: "Scraper", job_status: "SUCCESS" });
});

test("what was deleted while no server ran is marked when one looks again, from where the last one stood", async () => {
  const first = await startTestApp();
  const own = scraperRuns(first);
  const { make, remove } = objectOf("short-lived");
  make();
  const id = await own.apply({
    kubernetes: [
      {
        clusterName: "prod",
        kubeconfig: shop.kubeconfig,
        watch: [{ apiVersion: "v1", kind: "ConfigMap" }],
      },
    ],
  });
  expect((await own.ran(id)).status).toBe("SUCCESS");
  await first.endProgram();
  remove();
  const item = () =>
    first.db.first<{ id: string; reason: string | null }>(sql`
      select id, delete_reason as reason from config_items where scraper_id = ${id} and name = 'short-lived'`);
  const before = (await item())!;
  expect(before.reason).toBeNull();
  const second = await createApp({
    config: testConfig(),
    db: first.db,
    owner: first.owner,
    log: createLog("error"),
    consoleDirectory: "/nonexistent",
  });
  onTestFinished(async () => {
    await second.stop();
    await first.stop();
  });
  await second.listen();
  await vi.waitFor(
    async () => {
      await first.db.transaction((tx) => makeDue(tx, FOLLOW_SLOTS, id));
      expect(await item()).toEqual({ id: before.id, reason: "FROM_EVENT" });
    },
    { timeout: 20_000, interval: 100 },
  );
  // It was followed, not scraped again.
  await vi.waitFor(
    async () =>
      expect(
        await first.db.rows(sql`
          select name, status from job_history where resource_id = ${id} order by created_at`),
      ).toEqual([
        { name: "Scraper", status: "SUCCESS" },
        { name: "ConsumeKubernetesWatchResources", status: "SUCCESS" },
      ]),
    { timeout: 20_000, interval: 100 },
  );
});
