import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { APIRequestContext } from "playwright-core";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { applyDocument } from "./bring.ts";
import { settled } from "./browser.ts";
import { journey, journeys } from "./journey.ts";

/** A service and the store that it hangs on, as a system would tell of them. */
async function startSystem() {
  let size = 1;
  let restarts = 0;
  const server = createServer((_request, response) => {
    const now = new Date().toISOString();
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify([
        { id: "journey-store", name: "journey-store", config: { name: "journey-store", size } },
        {
          id: "journey-web",
          name: "journey-web",
          config: { name: "journey-web", store: "journey-store" },
          changes: Array.from({ length: restarts }, (_, index) => ({
            change_type: "Restarted",
            severity: "high",
            summary: `out of memory, ${index + 1}`,
            external_change_id: `restart-${index}`,
            created_at: now,
          })),
          analysis: [
            {
              analyzer: "journey-image-is-old",
              analysis_type: "security",
              severity: "critical",
              summary: "two years old",
              message: "<p>Build it <b>anew</b></p><script>document.title = 'taken'</script>",
              analysis: { image: "shop:1.0" },
            },
          ],
        },
      ]),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    grow: () => {
      size = 2;
    },
    restart: () => {
      restarts = 3;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const documentOf = (url: string) => `
apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata: { name: journey-changes }
spec:
  schedule: "@every 24h"
  full: true
  http:
    - url: ${url}
      items: $
      id: $.id
      name: $.name
      type: Journey::Service
      transform:
        relationship:
          - name: { expr: "config.?store.orValue('')" }
            parent: true
`;

/** Scrapes, and waits until so many changes of the system are kept, or insights. */
async function scrape(request: APIRequestContext, scraperId: string, table: string, count: number) {
  const run = await request.post(`/api/catalog/scrapers/${scraperId}/run`);
  expect(run.status()).toBe(202);
  const where =
    table === "catalog_changes" ? "type=eq.Journey::Service" : "config_type=eq.Journey::Service";
  await expect
    .poll(
      async () => {
        const reply = await request.get(`/api/db/${table}?select=id&${where}`);
        return ((await reply.json()) as unknown[]).length;
      },
      { timeout: 20_000, interval: 100 },
    )
    .toBe(count);
}

journeys("changes and insights of the catalog", () => {
  journey(
    "what changed is found, opened, and leads to what changed upstream before it",
    async ({ openAsAdmin, onTestFinished }) => {
      const system = await startSystem();
      onTestFinished(() => system.close());
      const page = await openAsAdmin();
      const { request } = page.context();
      const scraper = await applyDocument(request, documentOf(system.address));
      await scrape(request, scraper, "config_analysis_items", 1);
      system.grow();
      await scrape(request, scraper, "catalog_changes", 1);
      system.restart();
      await scrape(request, scraper, "catalog_changes", 4);

      await page.goto("/catalog/changes");
      await page.getByRole("button", { name: "Type: All" }).click();
      await page.getByRole("button", { name: "Include Journey::Service" }).click();
      await page.keyboard.press("Escape");
      const list = page.getByRole("treegrid", { name: "changes" });
      // Three of a kind are one row.
      const burst = list.getByRole("row").filter({ hasText: "3 changes at once" });
      await burst.waitFor();
      await settled(page);
      expect(await accessibilityFindings(page)).toEqual([]);
      await list.getByText("out of memory, 2").waitFor({ state: "hidden" });
      await burst.getByText("3 changes at once").click();
      await list.getByText("out of memory, 2").waitFor();

      // By keyboard to the change of the store, and through the list.
      await list.getByRole("row").filter({ hasText: "journey-store" }).focus();
      await page.keyboard.press("Enter");
      const opened = page.getByRole("dialog", { name: "Change diff of journey-store" });
      const diff = opened.getByRole("region", { name: "Diff" });
      await diff.getByText("1 added, 1 removed").waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await diff.getByRole("button", { name: "Show unified" }).click();
      await diff.getByRole("button", { name: "Show side by side" }).waitFor();
      await opened.getByRole("tab", { name: "Patches" }).click();
      await page.waitForURL(/part=patches/);
      await page.keyboard.press("k");
      const restarted = page.getByRole("dialog", { name: "Change Restarted of journey-web" });
      await restarted.getByRole("link", { name: "What changed before this" }).click();

      await page.waitForURL(/\/catalog\/[^/]+\/changes\?.*upstream=true/);
      await page.getByRole("switch", { name: "Upstream", checked: true }).waitFor();
      await page.getByRole("switch", { name: "Downstream", checked: false }).waitFor();
      const before = page.getByRole("treegrid", { name: "changes" });
      await before.getByRole("row").filter({ hasText: "journey-store" }).waitFor();

      // A stretch of time, chosen by keyboard, and back.
      await page.goto("/catalog/changes?configType=Journey________Service:1");
      const chart = page.getByRole("group", { name: /^Changes over time: 4 changes/ });
      await chart.focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await page.waitForURL(/timeRange=/);
      await page.getByText("Nothing matches what is searched for.").waitFor();
      await page.getByRole("button", { name: "Zoom out" }).click();
      await page.getByRole("treegrid", { name: "changes" }).waitFor();

      await page.goto("/catalog/insights?severity=critical&configType=Journey::Service");
      await page.getByRole("row").filter({ hasText: "journey-image-is-old" }).click();
      const insight = page.getByRole("dialog", {
        name: "Insight journey-image-is-old of journey-web",
      });
      await insight.locator("strong").getByText("anew").waitFor();
      await insight.getByText("shop:1.0").waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(await page.title()).not.toBe("taken");
    },
  );
});
