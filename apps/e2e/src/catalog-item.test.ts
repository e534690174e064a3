import type { APIRequestContext } from "playwright-core";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { applyDocument, rowThatComes } from "./bring.ts";
import { tablesTooWide } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { expectFocus, tabTo } from "./keyboard.ts";

const scraper = (replicas: number) => `
apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata: { name: item-journey }
spec:
  schedule: "@every 24h"
  exec:
    - script: |
        echo '[{"id": "item-journey", "name": "ledger", "spec": {"replicas": ${replicas}, "image": "ledger:${replicas}"},
                "metadata": {"annotations": {"owner": "bookkeeping"}}}]'
      id: $.id
      name: $.name
      type: Ledger
`;

/** Has it scraped as it is now. @returns its id */
async function scrape(request: APIRequestContext, replicas: number): Promise<string> {
  const scraperId = await applyDocument(request, scraper(replicas));
  await request.post(`/api/catalog/scrapers/${scraperId}/run`);
  return rowThatComes(
    request,
    `config_items?select=id&external_id=cs.{item-journey}&config->spec->replicas=eq.${replicas}`,
  );
}

journeys("one item of the catalog", () => {
  journey(
    "is read, gone back in with the keyboard, compared, noted upon, and opens again from its address",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      const id = await scrape(page.request, 2);
      await scrape(page.request, 3);
      await page.goto(`/catalog/${id}`);
      const config = page.getByRole("region", { name: "Config" });
      await config.getByText('"replicas": 3').waitFor();
      const details = page.getByRole("complementary", { name: "Details" });
      await details.getByText("bookkeeping").waitFor();

      await config.getByText("3", { exact: true }).first().click();
      await expect.poll(() => new URL(page.url()).searchParams.get("lines")).toBe("L3");

      await page.getByRole("slider", { name: "When it became another" }).focus();
      await page.keyboard.press("ArrowLeft");
      await config.getByText('"replicas": 2').waitFor();
      expect(new URL(page.url()).searchParams.get("at")).not.toBeNull();
      await page.getByLabel("Compare with").selectOption({ label: "now" });
      const differences = page.getByRole("region", { name: "Differences" });
      await differences.getByText("2 added, 2 removed").waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.reload();
      await differences.getByText("2 added, 2 removed").waitFor();
      await page.getByRole("button", { name: "Back to now" }).click();
      await config.getByText('"replicas": 3').waitFor();

      await details.getByRole("textbox", { name: "New note" }).fill("Two are enough.");
      await page.keyboard.press("Enter");
      await details.getByText("Two are enough.").waitFor();

      await page.getByRole("tab", { name: /^Config/ }).focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForURL(new RegExp(`/catalog/${id}/changes`));
      await page.getByText("spec.image", { exact: false }).first().waitFor();
      await page.keyboard.press("End");
      await page.waitForURL(new RegExp(`/catalog/${id}/checks`));
      await page.getByText("No data available").waitFor();

      const tabs = ["changes", "insights", "checks"].map((tab) => `/${id}/${tab}`);
      const lists = ["", "?search=ledger", "?configType=Ledger", "/changes", "/insights"];
      for (const list of [...lists, "/scrapers", ...tabs]) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(`/catalog${list}`);
        await page.getByRole("columnheader").first().waitFor();
        await expect.poll(() => tablesTooWide(page), { message: list }).toEqual([]);
        await page.setViewportSize({ width: 1024, height: 900 });
        await expect.poll(() => tablesTooWide(page), { message: list }).toEqual([]);
      }

      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("button", { name: "Details" }).click();
      const sheet = page.getByRole("dialog", { name: "Details" });
      await sheet.getByText("Two are enough.").waitFor();
      // What is asked lies over the sheet, and the keyboard is back in it when the note has gone.
      const asked = page.getByRole("dialog", { name: "Delete this note?" });
      await tabTo(page, sheet.getByRole("button", { name: "Delete note" }));
      await page.keyboard.press("Enter");
      await tabTo(page, asked.getByRole("button", { name: "Delete" }));
      await page.keyboard.press("Enter");
      await sheet.getByText("Two are enough.").waitFor({ state: "hidden" });
      await expectFocus(sheet.getByRole("textbox", { name: "New note" }));
      await page.keyboard.press("Escape");
      await expect.poll(() => page.getByRole("dialog", { name: "Details" }).count()).toBe(0);
    },
  );
});
