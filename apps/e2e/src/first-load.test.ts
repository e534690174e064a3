// Takes long: every page is opened with nothing in the cache.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { addressOf, budgetOf, type ConsoleRoute, readBuilt, readRoutes } from "./console-routes.ts";
import { journey, journeys } from "./journey.ts";

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

journeys("a browser that comes for the first time", () => {
  journey.for(routes)(
    "loads for $path what the answer names, and no more than its budget",
    async (route, { filled, open, openAsAdmin }) => {
      const page = await (route.access === "session" ? openAsAdmin() : open());
      const loaded = new Set<string>();
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (/^\/assets\/.*\.js$/.test(pathname)) loaded.add(pathname.slice(1));
      });
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().isNavigationRequest()),
        page.goto(addressOf(route, filled), { waitUntil: "networkidle" }),
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
        new URL(page.url()).pathname !== addressOf(route, filled).split("?")[0];
      if (!isSentOn && !editors.has(route.path)) expect(overBudget(route, loaded)).toEqual([]);
    },
  );
});
