// Takes long: every page is opened with nothing in the cache.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { signedIn } from "./browser.ts";
import { addressOf, budgetOf, type ConsoleRoute, readBuilt, readRoutes } from "./console-routes.ts";
import { fillAs, journey, journeys } from "./journey.ts";
import { startServer } from "./server.ts";
import { startTarget } from "./target.ts";

const sizeOf = (file: string) => gzipSync(readBuilt(file), { level: 9 }).length;
const sum = (files: Iterable<string>) =>
  Array.from(files, sizeOf).reduce((total, size) => total + size, 0);

const overBudget = (route: ConsoleRoute, files: Iterable<string>): string[] => {
  const [size, budget] = [sum(files), budgetOf(route)];
  if (size <= budget) return [];
  const others = Array.from(files).filter((file) => !route.files.includes(file));
  return [
    `${route.path} loads ${size} bytes of ${budget}: what it needs, and ${others.join(", ")}`,
  ];
};

/** The machinery of an editor, or of long texts, is fetched when the page stands; it alone is as large as the budget. */
const editors = new Set([
  // A chart, and a box of choices.
  "/logs",
  "/catalog/$itemId",
  "/catalog/$itemId/$tab",
  "/catalog/scrapers/$scraperId",
  "/settings/canaries/$canaryId",
  "/settings/topologies/$topologyId",
  "/settings/logging-backends/$logBackendId",
  "/settings/documents/apply",
  "/settings/integrations/$integrationType/$integrationId",
  "/settings/documents/$kind/$documentId",
]);

const routes = readRoutes();

test("the scripts of every route are within its budget", () => {
  expect(routes.flatMap((route) => overBudget(route, route.files))).toEqual([]);
  // Were a route not measured, it would be within every budget.
  for (const { path, files } of routes) expect([path, sum(files) > 60_000]).toEqual([path, true]);
});

/** A server of its own: what a list has in it decides which pictures its page fetches. */
const visiting = journey.extend("own", { scope: "file" }, async ({ browser }, { onCleanup }) => {
  const [server, target] = await Promise.all([startServer(), startTarget()]);
  onCleanup(async () => {
    await Promise.all([server.stop(), target.close()]);
  });
  const state = await signedIn(browser, server);
  return {
    address: server.address,
    state,
    parts: await fillAs(browser, server, { admin: state, target }),
  };
});

journeys("a browser that comes for the first time", () => {
  visiting.for(routes)(
    "loads for $path what the answer names, and no more than its budget",
    async (route, { own, openAt }) => {
      const page = await openAt(
        own.address,
        route.access === "session" ? { state: own.state } : {},
      );
      const loaded = new Set<string>();
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (/^\/assets\/.*\.js$/.test(pathname)) loaded.add(pathname.slice(1));
      });
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().isNavigationRequest()),
        page.goto(addressOf(route, own.parts), { waitUntil: "networkidle" }),
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
        new URL(page.url()).pathname !== addressOf(route, own.parts).split("?")[0];
      if (!isSentOn && !editors.has(route.path)) expect(overBudget(route, loaded)).toEqual([]);
    },
  );
});
