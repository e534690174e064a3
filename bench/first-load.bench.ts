// JavaScript over the wire for the first load of each route, gzip, from the built console: the entry, what it imports
// at once, and the chunks the route's page needs. Run after `npm run build`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { startServer } from "../apps/e2e/src/server.ts";
import { signIn } from "../apps/e2e/src/browser.ts";

/** Gzip bytes for a first visit: the sign-in has the smaller budget. */
const routes: readonly [route: string, hasSession: boolean, budget: number][] = [
  ["/login", false, 80_000],
  ["/registration", false, 80_000],
  ["/recovery", false, 80_000],
  ["/verification", false, 80_000],
  ["/health", true, 150_000],
  ["/profile-settings", true, 150_000],
  ["/settings/users", true, 150_000],
  ["/settings/teams", true, 150_000],
  ["/settings/feature-flags", true, 150_000],
  ["/settings/tokens", true, 150_000],
  ["/settings/audit", true, 150_000],
  ["/docs", true, 150_000],
];
const server = await startServer();
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
try {
  const signedIn = await browser.newContext({ baseURL: server.address });
  await signIn(await signedIn.newPage(), server);
  const state = await signedIn.storageState();
  for (const [route, session, budget] of routes) {
    const context = await browser.newContext({
      baseURL: server.address,
      ...(session ? { storageState: state } : {}),
    });
    const page = await context.newPage();
    const sizes = new Map<string, number>();
    page.on("response", async (response) => {
      if (!/\.js(\?|$)/.test(response.url())) return;
      const file = join(
        import.meta.dirname,
        "../apps/console/dist",
        new URL(response.url()).pathname,
      );
      sizes.set(response.url(), gzipSync(readFileSync(file), { level: 9 }).length);
    });
    await page.goto(route);
    await page.waitForLoadState("networkidle");
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    console.log(
      `${route.padEnd(24)} ${(total / 1000).toFixed(1)} kB in ${sizes.size} files; budget ${budget / 1000} kB, ratio ${(total / budget).toFixed(2)}`,
    );
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
