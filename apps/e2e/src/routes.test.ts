// Takes long: every page is opened and looked at by axe, twice.
import type { Browser, Page } from "playwright-core";
import { amount } from "@mainstay/testkit/sample.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import {
  browserMissing,
  launchBrowser,
  settled,
  signedIn,
  type State,
  type Visit,
  visit,
} from "./browser.ts";
import { addressOf, type ConsoleRoute, type Parts, readRoutes } from "./console-routes.ts";
import { fillServer } from "./fill-server.ts";
import { type MailBox, startMailBox } from "./mail.ts";
import { type RunningServer, startServer } from "./server.ts";
import { startTarget, type Target } from "./target.ts";

/** Every route of the console, as its own table lists them, on a server that is in use. */

/** The windows in which every route is opened: both themes and both widths; each with each in a whole walk. */
const windows = (
  [
    ["light", 1440],
    ["dark", 390],
    ["dark", 1440],
    ["light", 390],
    ["light", 1024],
    ["dark", 1024],
  ] as const
).slice(0, amount(6, 2));
const routes = readRoutes();
const publicRoutes = routes.filter(({ access }) => access === "public");
const sessionRoutes = routes.filter(({ access }) => access === "session");

if (browserMissing) process.stderr.write(`SKIPPED ${browserMissing}\n`);

/** How much of the page lies beyond its right edge. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

async function inspect(page: Page, where: string): Promise<string[]> {
  const findings = (await accessibilityFindings(page)).map((found) => `${where}: ${found}`);
  const beyond = await overflow(page);
  return beyond > 0 ? [...findings, `${where}: ${beyond} pixels lie beyond the edge`] : findings;
}

describe.skipIf(browserMissing)("every route", () => {
  let server: RunningServer;
  let browser: Browser;
  let target: Target;
  let mail: MailBox;
  let state: State;
  let parts: Parts;

  beforeAll(async () => {
    mail = await startMailBox();
    [server, browser, target] = await Promise.all([
      // So that the pages in front of the console show their forms, not that they are switched off.
      startServer({ env: { REGISTRATION: "open", SMTP_URL: mail.address } }),
      launchBrowser(),
      startTarget(),
    ]);
    state = await signedIn(browser, server);
    const { context } = await visit(browser, server.address, { state });
    parts = await fillServer(context.request, target.address);
    await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await target?.close();
    await mail?.close();
  });

  /** Opens each route in one window, and tells what is wrong with any of them. */
  async function walk(chosen: readonly ConsoleRoute[], window: Visit, where: string) {
    const { page, problems } = window;
    const findings: string[] = [];
    for (const route of chosen) {
      const at = `${route.path} ${where}`;
      // Some pages in front of the console only send people on, which loads another page.
      const waitUntil = route.access === "public" ? "networkidle" : "load";
      await page.goto(addressOf(route, parts), { waitUntil });
      await settled(page);
      findings.push(...(await inspect(page, at)));
      findings.push(...problems.splice(0).map((problem) => `${at}: ${problem}`));
    }
    return findings;
  }

  for (const [theme, width] of windows)
    test(`is accessible, fits and says no error: ${theme}, ${width} pixels`, async () => {
      const height = width < 500 ? 844 : 900;
      const where = `${theme} ${width}`;
      const inside = await visit(browser, server.address, { theme, width, height, state });
      const outside = await visit(browser, server.address, { theme, width, height });
      try {
        expect(await walk(sessionRoutes, inside, where)).toEqual([]);
        expect(await walk(publicRoutes, outside, where)).toEqual([]);
      } finally {
        await Promise.all([inside.context.close(), outside.context.close()]);
      }
    });
});

describe.skipIf(browserMissing)("every route of a checker-only server", () => {
  test("is the health page, or says that it is not there", async () => {
    const [server, browser] = await Promise.all([
      startServer({ args: ["--checker-only"] }),
      launchBrowser(),
    ]);
    try {
      const { page, problems } = await visit(browser, server.address);
      for (const route of sessionRoutes.filter(({ path }) => !path.includes("/$"))) {
        await page.goto(addressOf(route, {}));
        await settled(page);
        expect(await inspect(page, `${route.path} checker-only`)).toEqual([]);
      }
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
      await server.stop();
    }
  });
});
