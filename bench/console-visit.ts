// A server that answers and runs nothing by itself, and a browser in front of it: what is measured in the console begins
// with both. The console is built when its sources are not those that were built: one of other sources, or of an
// installation that lacks a part, stops somewhere on the way.
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import type { BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "../apps/e2e/src/browser.ts";
import { createApp } from "../apps/server/src/app.ts";
import { type Database, openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";

/** What the page has gone through since it was last asked, in milliseconds. */
interface Seen {
  /** Of each frame, since the one before. */
  frames: number[];
  /** Of each task of 50 ms and more: for so long the page did not answer. */
  tasks: number[];
}

export interface ConsoleVisit {
  db: Database;
  context: BrowserContext;
  page: Page;
  /** Takes what the page has gone through since the last time. */
  takeSeen: () => Promise<Seen>;
}

/**
 * Fills a database, has the console served from it, visits it as a local administrator, and clears everything away.
 * What the page reports as an error is an error of the measurement.
 */
export async function visitConsole(
  fill: (db: Database) => Promise<void>,
  walk: (visit: ConsoleVisit) => Promise<void>,
): Promise<void> {
  execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/build-console.mjs")], {
    stdio: "inherit",
  });
  await using ends = new AsyncDisposableStack();
  const cluster = await startTestCluster();
  ends.defer(() => cluster.stop());
  const database = await createTestDatabase(cluster);
  ends.defer(() => database.drop());
  const log = createLog("error");
  const db = openDatabase({
    connection: database.superuser,
    applicationName: "bench",
    onError: (error) => log.error(error),
  });
  ends.defer(() => db.close());
  const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error", role: "api" }, {});
  const consoleDirectory = join(import.meta.dirname, "../apps/console/dist");
  const app = await createApp({ config, db, log, consoleDirectory });
  ends.defer(() => app.stop());
  await app.listen();
  const session = await app.createLocalSession();
  ends.defer(() => session.revoke());
  await fill(db);
  await db.raw("vacuum analyze");

  const browser = await launchBrowser();
  ends.defer(() => browser.close());
  const context = await browser.newContext({
    baseURL: app.address,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    extraHTTPHeaders: { "x-session-token": session.token },
  });
  await context.addInitScript(() => {
    const seen: Seen = { frames: [], tasks: [] };
    Object.assign(window, { seen });
    let last = performance.now();
    const frame = (now: number) => {
      seen.frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.tasks.push(duration);
    }).observe({ entryTypes: ["longtask"] });
  });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  const takeSeen = () =>
    page.evaluate(() => {
      const { seen } = window as unknown as { seen: Seen };
      return { frames: seen.frames.splice(0), tasks: seen.tasks.splice(0) };
    });
  try {
    await walk({ db, context, page, takeSeen });
  } catch (error) {
    const picture = join(tmpdir(), `bench-${process.pid}.png`);
    await page.screenshot({ path: picture });
    // What stands in place of a page, or above it.
    errors.push(...(await page.getByRole("alert").allInnerTexts()));
    throw new Error(
      `It stopped at ${page.url()} (${picture}). ${errors.length} errors of the page before: ${errors.join("\n")}`,
      { cause: error },
    );
  }
  if (errors.length > 0) throw new Error(`The page reported errors:\n${errors.join("\n")}`);
}
