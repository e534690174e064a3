import { kubeconfigOf } from "@mainstay/testkit/servers/index.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../../testing/app.ts";
import { scraperRuns } from "../../testing/scraper-runs.ts";
import { type ShopCluster, shopToken, startShop } from "../testing/shop-cluster.ts";

/** Documents that name a cluster, run by the program's own worker. */

let app: TestApp;
let shop: ShopCluster;
let runs: ReturnType<typeof scraperRuns>;
beforeAll(async () => {
  shop = await startShop({ exec: () => ({ stdout: "replicas: 2\n" }) });
  app = await startTestApp();
  runs = scraperRuns(app);
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
