import { expect } from "vitest";
import { paste } from "./browser.ts";
import { journey, journeys } from "./journey.ts";
import { expectFocus, tabTo } from "./keyboard.ts";

const scraper = `apiVersion: configs.flanksource.com/v1
kind: ScrapeConfig
metadata:
  name: harbour
spec:
  schedule: "@every 24h"
  exec:
    - script: |
        echo '[{"id": "a", "name": "aurora", "state": "moored"}, {"id": "b", "name": "borealis", "state": "sunk"},
               {"id": "c", "name": "corona", "state": "moored"}]'
      id: $.id
      name: $.name
      status: $.state
      type: Harbour::Boat
      tags: [{ name: quay, value: north }]
`;

journeys("the catalog", () => {
  journey(
    "a scraper is added and run; what it finds is counted, searched, filtered and opened",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      await page.goto("/catalog/scrapers");
      await page.getByRole("button", { name: "Add scraper" }).first().click();
      const dialog = page.getByRole("dialog", { name: "Add scraper" });
      await dialog.getByRole("tab", { name: "YAML" }).click();
      await paste(page, "ScrapeConfig document", scraper);
      // The text is the form's as well.
      await dialog.getByRole("tab", { name: "Form" }).click();
      await dialog.getByRole("combobox", { name: "Scraper" }).waitFor();
      await dialog.getByRole("button", { name: "Review changes" }).click();
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.waitFor({ state: "hidden" });

      await page.getByRole("row").filter({ hasText: "harbour" }).click();
      await page.waitForURL(/\/catalog\/scrapers\/[\w-]{36}$/);
      await page.getByRole("button", { name: "Run now" }).click();
      await page.getByText("harbour found 3 items").waitFor();
      await page.getByRole("tab", { name: "Job History" }).click();
      await page.getByRole("row").filter({ hasText: "Success" }).first().waitFor();

      await page.getByRole("link", { name: "Catalog" }).last().click();
      await page.waitForURL(/\/catalog$/);
      const type = page.getByRole("row").filter({ hasText: "Harbour::Boat" });
      await type.getByText("3", { exact: true }).waitFor();
      await type.click();
      await page.waitForURL(/configType=Harbour%3A%3ABoat/);
      const rows = page.getByRole("row").filter({ hasText: "north" });
      await expect.poll(() => rows.count()).toBe(3);

      await page.getByRole("button", { name: "Status: All" }).click();
      const sunk = page.getByRole("group", { name: "sunk" });
      await sunk.getByRole("button", { name: /exclude/i }).click();
      await expect.poll(() => rows.count()).toBe(2);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Clear filters" }).click();

      // Where the bar is narrow, they are behind one button, which says how many of them leave something out.
      await page.setViewportSize({ width: 390, height: 844 });
      const filters = page.getByRole("button", { name: /^Filters( \(\d\))?$/ });
      await tabTo(page, filters);
      await page.keyboard.press("Enter");
      const choices = page.getByRole("dialog", { name: "Filters" });
      const status = choices.getByRole("button", { name: /^Status: / });
      await tabTo(page, status);
      await page.keyboard.press("Enter");
      for (const name of ["moored", "sunk"]) {
        await tabTo(
          page,
          page.getByRole("group", { name }).getByRole("button", { name: /include/i }),
        );
        await page.keyboard.press("Enter");
      }
      await page.keyboard.press("Escape");
      await expectFocus(status);
      await page.keyboard.press("Escape");
      await expectFocus(filters);
      await page.getByRole("button", { name: "Filters (1)", exact: true }).waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("button", { name: "Filters", exact: true }).waitFor();
      await page.setViewportSize({ width: 1440, height: 900 });
      const box = page.getByRole("combobox", { name: "Search the catalog" });
      await box.fill("type=boat -borea");
      await expect.poll(() => rows.count()).toBe(2);
      await box.fill("status=");
      await page.getByRole("option", { name: "sunk" }).click();
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByRole("textbox", { name: "Save what is shown as" }).fill("Sunk boats");
      await page.keyboard.press("Enter");
      await page.getByRole("list", { name: "Saved views" }).getByText("Sunk boats").waitFor();
      await page.goto("/catalog?search=name=");
      await page.getByText("This search cannot be answered").waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await page.getByRole("button", { name: "Sunk boats", exact: true }).click();
      await expect.poll(() => rows.count()).toBe(1);

      await page.goto("/catalog?search=borealis");
      await page.getByRole("row").filter({ hasText: "borealis" }).waitFor();
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/catalog\/[\w-]{36}$/);
      await page.getByRole("heading", { name: "borealis" }).waitFor();
    },
  );

  journey(
    "a page that is opened while the server is away comes when it is back, and nothing is lost meanwhile",
    async ({ openAsAdmin, provoked }) => {
      provoked.push(/ERR_INTERNET_DISCONNECTED/);
      const page = await openAsAdmin();
      await page.goto("/catalog");
      const search = page.getByRole("combobox", { name: "Search the catalog" });
      await search.fill("orders");
      // Somebody is there: what toasts are made of is fetched.
      const toasts = page.waitForResponse(/ToastRegion/);
      await page.mouse.move(300, 300);
      await toasts;
      await page.evaluate(() => Object.assign(window, { isFirst: true }));
      await page.context().setOffline(true);
      // What was not fetched yet does not open; nothing else goes with it.
      const labels = page.getByRole("button", { name: /^Labels: / });
      await labels.click();
      const told = page.getByRole("region", { name: "Notifications" });
      await told.getByText(/^A part of the console could not be loaded/).waitFor();
      expect(await search.inputValue()).toBe("orders");
      await expect.poll(() => labels.getAttribute("aria-expanded")).toBe("false");
      await page.getByRole("link", { name: "Insights" }).click();
      await page.getByRole("status").getByText("No internet connection").waitFor();
      await search.waitFor({ state: "hidden" });
      await page.getByRole("link", { name: "Catalog" }).first().waitFor();
      await page.context().setOffline(false);
      await page.getByRole("combobox", { name: "Search insights" }).waitFor();
      await page.getByRole("link", { name: "Catalog" }).first().click();
      await labels.click();
      await page.getByRole("searchbox", { name: "Search labels and tags" }).waitFor();
      expect(await page.evaluate(() => "isFirst" in window)).toBe(true);
    },
  );
});
