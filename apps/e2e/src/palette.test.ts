// Takes long: it is opened on page after page.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { browserMissing, launchBrowser, signIn, type Visit, visit } from "./browser.ts";
import { type RunningServer, startServer } from "./server.ts";

if (browserMissing) process.stderr.write(`SKIPPED ${browserMissing}\n`);

describe.skipIf(browserMissing)("the command palette", () => {
  let server: RunningServer;
  let browser: Browser;
  let current: Visit | undefined;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(async () => {
    const problems = current?.problems ?? [];
    await current?.context.close();
    current = undefined;
    expect(problems).toEqual([]);
  });

  async function open(options: Parameters<typeof visit>[2] = {}) {
    current = await visit(browser, server.address, options);
    const { page } = current;
    await signIn(page, server);
    await page.getByRole("button", { name: "Search", exact: true, disabled: false }).waitFor();
    return { page, box: page.getByRole("combobox", { name: /Search pages/ }) };
  }

  test("leads by keyboard alone to a check, from there to another, and to a page", async () => {
    const { page, box } = await open();
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
  });

  test.each(["light", "dark"] as const)("has nothing that bars anybody, %s", async (theme) => {
    for (const width of [1440, 390]) {
      const { page, box } = await open({ theme, width });
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
      await current?.context.close();
    }
  });
});
