// Every route of the console at its first visit: JavaScript over the wire (gzip), its ratio to the budget, and how long
// until the page shows over a slow line (1.6 Mbit/s, 150 ms there and back), beside the same without the `Link` header
// in which the server names the scripts. `apps/e2e/src/first-load.test.ts` holds the bytes to the budgets.
import { gzipSync } from "node:zlib";
import { type BrowserContext } from "playwright-core";
import { launchBrowser, settled, signedIn, visit } from "../apps/e2e/src/browser.ts";
import { addressOf, budgetOf, readBuilt, readRoutes } from "../apps/e2e/src/console-routes.ts";
import { fillServer } from "../apps/e2e/src/fill-server.ts";
import { startServer } from "../apps/e2e/src/server.ts";

const routes = readRoutes();
const server = await startServer();
const browser = await launchBrowser();
const slow = {
  offline: false,
  latency: 150,
  downloadThroughput: 200_000,
  uploadThroughput: 94_000,
};

const sizeOf = (file: string) => gzipSync(readBuilt(file), { level: 9 }).length;

/** Milliseconds until a page shows what it has. */
async function timeOf(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", slow);
  const start = performance.now();
  await page.goto(address);
  await settled(page);
  return performance.now() - start;
}

try {
  const state = await signedIn(browser, server);
  const { context: filling } = await visit(browser, server.address, { state });
  const parts = await fillServer(filling.request, server.address);
  await filling.close();
  for (const route of routes) {
    const budget = budgetOf(route);
    const size = route.files.reduce((total, file) => total + sizeOf(file), 0);
    const times: number[] = [];
    for (const isNamed of [true, false]) {
      const { context } = await visit(browser, server.address, {
        ...(route.access === "session" && { state }),
      });
      if (!isNamed)
        await context.route(
          (url) => !/^\/(api|assets)\/|\.\w+$/.test(url.pathname),
          async (asked) => {
            const reply = await asked.fetch();
            const { link: _, ...headers } = reply.headers();
            await asked.fulfill({ response: reply, headers });
          },
        );
      times.push(await timeOf(context, addressOf(route, parts)));
      await context.close();
    }
    const [named, plain] = times as [number, number];
    console.log(
      `${route.path.padEnd(28)} ${(size / 1000).toFixed(1).padStart(6)} kB of ${budget / 1000} (${(size / budget).toFixed(2)}); shown after ${named.toFixed(0)} ms, ${(named / plain).toFixed(2)} of the time without the header`,
    );
  }
} finally {
  await browser.close();
  await server.stop();
}
