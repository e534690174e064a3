// Takes long: every page is opened with nothing in the cache.
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserMissing, launchBrowser, signedIn, type State, visit } from "./browser.ts";
import {
  addressOf,
  type ConsoleRoute,
  type Parts,
  readBuilt,
  readRoutes,
} from "./console-routes.ts";
import { fillServer } from "./fill-server.ts";
import { type RunningServer, startServer } from "./server.ts";
import { startTarget, type Target } from "./target.ts";

/**
 * Bytes of script over the wire, gzip, for the first visit: whoever signs in waits for less, and what lists are made of
 * may cost something (decision 5).
 */
const budgetOf = ({ access, path, files }: ConsoleRoute) => {
  if (access === "public" && path !== "/error") return 80_000;
  return files.some((file) => file.startsWith("assets/list-")) ? 170_000 : 150_000;
};

const sizeOf = (file: string) => gzipSync(readBuilt(file), { level: 9 }).length;
const sum = (files: Iterable<string>) =>
  Array.from(files, sizeOf).reduce((total, size) => total + size, 0);

const overBudget = (route: ConsoleRoute, files: Iterable<string>): string[] => {
  const [size, budget] = [sum(files), budgetOf(route)];
  return size > budget ? [`${route.path} loads ${size} bytes of ${budget}`] : [];
};

/** The machinery of an editor is fetched when the page stands; it alone is as large as the budget. */
const editors = new Set([
  "/settings/canaries/$canaryId",
  "/settings/documents/apply",
  "/settings/documents/$kind/$documentId",
]);

const routes = readRoutes();

test("the scripts of every route are within its budget", () => {
  expect(routes.flatMap((route) => overBudget(route, route.files))).toEqual([]);
  // Were a route not measured, it would be within every budget.
  for (const { path, files } of routes) expect([path, sum(files) > 60_000]).toEqual([path, true]);
});

if (browserMissing) process.stderr.write(`SKIPPED ${browserMissing}\n`);

describe.skipIf(browserMissing)("a browser that comes for the first time", () => {
  let server: RunningServer;
  let browser: Browser;
  let target: Target;
  let state: State;
  let parts: Parts;

  beforeAll(async () => {
    [server, browser, target] = await Promise.all([startServer(), launchBrowser(), startTarget()]);
    state = await signedIn(browser, server);
    const { context } = await visit(browser, server.address, { state });
    parts = await fillServer(context.request, target.address);
    await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await target?.close();
  });

  test.each(routes)(
    "loads for $path what the answer names, and no more than its budget",
    async (route) => {
      const { context, page, problems } = await visit(browser, server.address, {
        ...(route.access === "session" && { state }),
      });
      try {
        const loaded = new Set<string>();
        page.on("request", (request) => {
          const { pathname } = new URL(request.url());
          if (/^\/assets\/.*\.js$/.test(pathname)) loaded.add(pathname.slice(1));
        });
        const [answer] = await Promise.all([
          page.waitForResponse((response) => response.request().isNavigationRequest()),
          page.goto(addressOf(route, parts), { waitUntil: "networkidle" }),
        ]);
        const named = [...((await answer.allHeaders())["link"] ?? "").matchAll(/<\/([^>]+)>/g)].map(
          ([, file]) => file!,
        );
        // All at once: a script that is not named is found only when another one that needs it has come.
        expect(named.toSorted()).toEqual(route.files.toSorted());
        expect(route.files.filter((file) => !loaded.has(file))).toEqual([]);
        // Whoever is sent on to another page loads that as well.
        const isSentOn =
          route.path !== "/" &&
          new URL(page.url()).pathname !== addressOf(route, parts).split("?")[0];
        if (!isSentOn && !editors.has(route.path)) expect(overBudget(route, loaded)).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        await context.close();
      }
    },
  );
});
