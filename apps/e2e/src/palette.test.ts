// Takes long: it is opened on page after page.
import type { Page } from "playwright-core";
import { isWhole, sample } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { journey, journeys } from "./journey.ts";

journeys("the command palette", () => {
  async function boxOf(page: Page) {
    await page.goto("/");
    await page.getByRole("button", { name: "Search", exact: true, disabled: false }).waitFor();
    return page.getByRole("combobox", { name: /Search pages/ });
  }

  journey(
    "leads by keyboard alone to a check, from there to another, and to a page",
    async ({ openAsAdmin }) => {
      const page = await openAsAdmin();
      const box = await boxOf(page);
      await page.keyboard.press("Control+k");
      await box.waitFor();
      await page.keyboard.type("database");
      await page.getByRole("group", { name: "Checks" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/checkId=/);
      await page.getByRole("dialog").getByText("database").first().waitFor();
      const first = page.url();

      // Over the open check: only the palette is closed by Escape and by what is chosen in it.
      await page.keyboard.press("Control+k");
      await box.waitFor();
      await page.keyboard.press("Escape");
      await box.waitFor({ state: "detached" });
      expect(page.url()).toBe(first);
      await page.keyboard.press("Control+k");
      await box.waitFor();
      await page.keyboard.type("scheduler");
      await page.getByRole("group", { name: "Checks" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.href !== first && url.searchParams.has("checkId"));

      await page.keyboard.press("Control+k");
      await page.getByRole("group", { name: "Recent" }).waitFor();
      await page.keyboard.type("documentation");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/docs$/);
      await page.getByText("Search pages, resources and actions").waitFor();
    },
  );

  journey.for(sample(["light", "dark"] as const, 1))(
    "has nothing that bars anybody, %s",
    async (theme, { openAsAdmin }) => {
      for (const width of isWhole ? [1440, 390] : [theme === "light" ? 1440 : 390]) {
        const page = await openAsAdmin({ theme, width });
        const box = await boxOf(page);
        await page.getByRole("button", { name: "Search", exact: true }).click();
        await page.getByRole("option", { name: "Show keys" }).waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
        await box.fill("answers");
        await page.getByRole("group", { name: "Checks" }).waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
        await box.fill("status=");
        await page.getByRole("alert").waitFor();
        expect(await accessibilityFindings(page)).toEqual([]);
        await page.getByRole("button", { name: "Close", exact: true }).click();
        await box.waitFor({ state: "detached" });
      }
    },
  );
});
