// Takes long in `npm run verify`, where every page is opened with nothing in the cache.
import { isWhole } from "@mainstay/testkit/sample.ts";
import { expect, test } from "vitest";
import { signedIn } from "./browser.ts";
import { addressOf, budgetOf, readRoutes } from "./console-routes.ts";
import { fillAs, journey, journeys } from "./journey.ts";
import { followScripts, overBudget, sum, wrongScripts } from "./script-budgets.ts";
import { startServer } from "./server.ts";
import { startTarget } from "./target.ts";

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

/**
 * One of each budget: `routes.test.ts` holds every page to its own, in a browser that has been to others. Whoever comes for
 * the first time has nothing in the cache and in the store.
 */
const chosen = isWhole
  ? routes
  : [...Map.groupBy(routes, budgetOf).values()].map(([first]) => first!);

journeys("a browser that comes for the first time", () => {
  visiting.for(chosen)(
    "loads for $path what the answer names, and no more than its budget",
    async (route, { own, openAt }) => {
      const page = await openAt(
        own.address,
        route.access === "session" ? { state: own.state } : {},
      );
      const scripts = await followScripts(page);
      await page.goto(addressOf(route, own.parts), { waitUntil: "networkidle" });
      expect(await wrongScripts(scripts, route, { page, parts: own.parts })).toEqual([]);
    },
  );
});
