// 2,000 components as cards, in the browser: how long until they can be used, and the longest task of the page while it
// comes, is scrolled, filtered and walked with the keyboard. Build the console first.
import { join } from "node:path";
import { createTestDatabase, startTestCluster } from "@mainstay/testkit";
import type { Page } from "playwright-core";
import sql from "sql-template-tag";
import { launchBrowser } from "../apps/e2e/src/browser.ts";
import { createApp } from "../apps/server/src/app.ts";
import { openDatabase } from "../apps/server/src/platform/db/database.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { readConfig } from "../apps/server/src/settings.ts";

const count = 2_000;
const cluster = await startTestCluster();
const database = await createTestDatabase(cluster);
const log = createLog("error");
const db = openDatabase({
  connection: database.superuser,
  applicationName: "bench",
  onError: (error) => log.error(error),
});
const config = readConfig({ port: "0", selfChecks: "false", logLevel: "error", role: "api" }, {});
const consoleDirectory = join(import.meta.dirname, "../apps/console/dist");
const app = await createApp({ config, db, log, consoleDirectory });
await app.listen();
const session = await app.createLocalSession();

// Each with six properties and three components below it.
await db.run(sql`
  insert into components (id, external_id, name, type, status, health, properties, labels, summary)
  select md5('root' || i)::uuid, 'root' || i, 'component-' || i, 'System', h, h,
         '[{"name":"cpu","value":300,"max":1000,"unit":"millicores"},{"name":"memory","value":640000000,"max":800000000,"unit":"bytes"},
           {"name":"version","text":"1.2"},{"name":"requests","text":"1.2k/s","headline":true},{"name":"cost","value":1234,"type":"currency"},
           {"name":"runbook","type":"url","text":"https://runbooks.example.com/x"}]',
         '{"team":"web"}', '{"healthy":2,"unhealthy":1,"checks":{"healthy":8,"unhealthy":2}}'
    from (select i, (array['healthy','healthy','warning','unhealthy'])[1 + i % 4] as h from generate_series(1, ${count}) i) s`);
await db.run(sql`
  insert into components (external_id, name, type, status, health, parent_id)
  select 'child' || i || '-' || n, 'part-' || n, 'App', 'healthy', 'healthy', md5('root' || i)::uuid
    from generate_series(1, ${count}) i, generate_series(1, 3) n`);
await db.raw("vacuum analyze");

const browser = await launchBrowser();
const context = await browser.newContext({
  baseURL: app.address,
  viewport: { width: 1440, height: 900 },
  reducedMotion: "reduce",
  extraHTTPHeaders: { "x-session-token": session.token },
});
await context.addInitScript(() => {
  const tasks: number[] = [];
  Object.assign(window, { tasks });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  }).observe({ entryTypes: ["longtask"] });
});

async function measure(name: string, page: Page, act: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await act();
  const took = performance.now() - started;
  await page.waitForTimeout(300);
  const tasks = await page.evaluate(() =>
    (window as unknown as { tasks: number[] }).tasks.splice(0),
  );
  const cards = await page.locator("[data-card]").count();
  console.log(
    `${name.padEnd(34)} ${took.toFixed(0).padStart(5)} ms; longest task ${Math.max(0, ...tasks).toFixed(0)} ms; ${cards} cards in the page`,
  );
}

try {
  const page = await context.newPage();
  const first = page.locator("[data-card]").first();
  for (const visit of ["first visit", "second visit"])
    await measure(`${visit}, until cards are there`, page, async () => {
      await page.goto("/topology");
      await first.waitFor();
    });
  await measure("scrolled by 60 turns of the wheel", page, async () => {
    await page.mouse.move(700, 560);
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, step < 40 ? 400 : -300);
  });
  await measure("to the last card, and back", page, async () => {
    await first.focus();
    await page.keyboard.press("End");
    await page.locator('[aria-posinset="2000"]').waitFor();
    await page.keyboard.press("Home");
    await page.locator('[aria-posinset="1"]').waitFor();
  });
  await measure("walked by 60 arrows", page, async () => {
    for (let step = 0; step < 60; step += 1)
      await page.keyboard.press(step % 3 === 0 ? "ArrowRight" : "ArrowDown");
  });
  await measure("sorted by name", page, async () => {
    await page.getByRole("combobox", { name: "Sort" }).selectOption("name");
    await page.locator('[aria-posinset="1"]', { hasText: /component-1(?!\d)/ }).waitFor();
  });
} finally {
  await browser.close();
  await session.revoke();
  await app.stop();
  await db.close();
  await database.drop();
  await cluster.stop();
}
