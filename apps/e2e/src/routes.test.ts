// Takes long: every page is opened, looked at by axe, and held to its budget.
import type { Page } from "playwright-core";
import { amount, isWhole, sample } from "@mainstay/testkit/sample.ts";
import { afterAll, expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import {
  cutOff,
  overflow,
  settled,
  signedIn,
  type State,
  tablesTooWide,
  visit,
} from "./browser.ts";
import { addressOf, type ConsoleRoute, type Parts, readRoutes } from "./console-routes.ts";
import { fillServer } from "./fill-server.ts";
import { journey, journeys } from "./journey.ts";
import { type MailBox, startMailBox } from "./mail.ts";
import { followScripts, wrongScripts } from "./script-budgets.ts";
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

async function inspect(page: Page, where: string, byAxe = true): Promise<string[]> {
  const names = byAxe ? await accessibilityFindings(page) : [];
  const findings = names.map((found) => `${where}: ${found}`);
  findings.push(...(await tablesTooWide(page)).map((table) => `${where}: ${table} do not fit`));
  findings.push(...(await cutOff(page)).map((box) => `${where}: ${box}`));
  const beyond = await overflow(page);
  return beyond > 0 ? [...findings, `${where}: ${beyond} pixels lie beyond the edge`] : findings;
}

journeys("every route", () => {
  // Its own: people can register, and mail is sent, so that the pages in front of the console show their forms.
  let server: RunningServer;
  let target: Target;
  let mail: MailBox;
  let state: State;
  let parts: Parts;

  journey.beforeAll(async ({ browser }) => {
    mail = await startMailBox();
    [server, target] = await Promise.all([
      startServer({ env: { REGISTRATION: "open", SMTP_URL: mail.address } }),
      startTarget(),
    ]);
    state = await signedIn(browser, server);
    const { context } = await visit(browser, server.address, { state });
    parts = await fillServer(context.request, target.address);
    await context.close();
  });
  afterAll(async () => {
    await server?.stop();
    await target?.close();
    await mail?.close();
  });

  /**
   * Opens each route in one window, and tells what is wrong with any of them. Unless all is wanted, axe looks at every other
   * one of them, and the next window is opened for the others alone; each must fit a phone all the same.
   */
  async function walk(
    chosen: readonly ConsoleRoute[],
    page: Page,
    [where, window]: [string, number],
  ) {
    const findings: string[] = [];
    const scripts = await followScripts(page);
    for (const [index, route] of chosen.entries()) {
      const at = `${route.path} ${where}`;
      const byAxe = isWhole || index % 2 === window % 2;
      if (window > 0 && !byAxe) continue;
      scripts.begin();
      // Some pages in front of the console only send people on, which loads another page.
      const waitUntil = route.access === "public" ? "networkidle" : "load";
      await page.goto(addressOf(route, parts), { waitUntil });
      await settled(page);
      findings.push(...(await inspect(page, at, byAxe)));
      findings.push(...(await wrongScripts(scripts, route, { page, parts })));
      if (byAxe) continue;
      const wide = page.viewportSize()!;
      await page.setViewportSize({ width: 390, height: 844 });
      await settled(page);
      findings.push(...(await inspect(page, `${at}, made narrow`, false)));
      await page.setViewportSize(wide);
    }
    return findings;
  }

  for (const [window, [theme, width]] of windows.entries())
    journey(
      `is accessible, fits, loads what it needs and says no error: ${theme}, ${width} pixels`,
      async ({ openAt }) => {
        const height = width < 500 ? 844 : 900;
        const where = `${theme} ${width}`;
        const inside = await openAt(server.address, { theme, width, height, state });
        expect(await walk(sessionRoutes, inside, [where, window])).toEqual([]);
        const outside = await openAt(server.address, { theme, width, height });
        expect(await walk(publicRoutes, outside, [where, window])).toEqual([]);
      },
    );
});

journeys("every route of a checker-only server", () => {
  journey("is the health page, or says that it is not there", async ({ openAt, startOwn }) => {
    const server = await startOwn({ args: ["--checker-only"] });
    const page = await openAt(server.address);
    const plain = sessionRoutes.filter(({ path }) => !path.includes("/$"));
    const health = plain.filter(({ path }) => path === "/health");
    // All but the health page say the same.
    const looked = new Set(sample(plain, 2));
    const opened = new Set([...sample(plain, 8), ...health]);
    console.log(`Opened without people: ${[...opened].map(({ path }) => path).join(", ")}`);
    for (const route of opened) {
      await page.goto(addressOf(route, {}));
      await settled(page);
      const byAxe = looked.has(route) || health.includes(route);
      expect(await inspect(page, `${route.path} checker-only`, byAxe)).toEqual([]);
    }
  });
});
