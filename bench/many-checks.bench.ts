// The console with 10,000 checks, in the browser: until the list, an open check and the palette can be used, and the
// longest task on the way, which is for how long the page does not answer.
import { gzipSync } from "node:zlib";
import sql from "sql-template-tag";
import { readBuilt } from "../apps/e2e/src/console-routes.ts";
import type { Database } from "../apps/server/src/platform/db/database.ts";
import { type ConsoleVisit, visitConsole } from "./console-visit.ts";

const checks = Number(process.argv[2] ?? 10_000);

async function fill(db: Database): Promise<void> {
  await db.run(sql`
  insert into canaries (name, namespace, labels, spec, source)
  select 'bench-' || i, 'ns-' || i % 7, jsonb_build_object('team', 'team-' || i % 11), '{"schedule":"@every 1m"}', 'UI'
    from generate_series(1, ${checks / 100}) i`);
  await db.run(sql`
  insert into checks (canary_id, type, name, namespace, labels, spec, status, severity, last_runtime, next_runtime, created_at)
  select c.id, (array['http','tcp','dns','icmp'])[1 + n % 4], c.name || ' check ' || n, c.namespace,
         c.labels || jsonb_build_object('tier', 'tier-' || n % 5, 'host', 'host-' || n), '{"name":"x","url":"http://x/"}',
         case when n % 20 = 0 then 'unhealthy' else 'healthy' end,
         (array['critical','high','medium','low'])[1 + n % 4], now(), now() + interval '1 min', now() - interval '30 days'
    from canaries c, generate_series(1, 100) n`);
  await db.raw(`
  insert into check_totals (check_id, passed, failed, duration, latency, streak, streak_passed, settled, first_time, last_time, recent)
  select id, 43000, 200, 43200 * 85, ('[60:60]={43200}')::int[], 5, true, true, now() - interval '30 days', now(),
         (select string_agg('[' || lpad(((extract(epoch from now()) * 1000)::bigint - k * 60000)::text, 13) || ','
                            || rpad((40 + (k * 37) % 200)::text, 7) || ',1],', '' order by k desc) from generate_series(0, 29) k)
    from checks`);
}

/** How long something took until it was there, and the longest task on the way. */
async function measure(
  name: string,
  { page, takeSeen }: ConsoleVisit,
  act: () => Promise<unknown>,
): Promise<void> {
  await takeSeen();
  const started = performance.now();
  await act();
  const took = performance.now() - started;
  // What it has set off is part of it.
  await page.waitForTimeout(500);
  const { tasks } = await takeSeen();
  const sum = tasks.reduce((total, task) => total + task, 0);
  console.log(
    `${name.padEnd(44)} ${took.toFixed(0).padStart(5)} ms; longest task ${Math.max(0, ...tasks)
      .toFixed(0)
      .padStart(4)} ms, ${tasks.length} of 50 ms and more, ${sum.toFixed(0)} ms together`,
  );
}

async function walk(visit: ConsoleVisit): Promise<void> {
  const { db, page } = visit;
  const scripts = new Set<string>();
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/assets\/.*\.js$/.test(pathname)) scripts.add(pathname.slice(1));
  });
  const rows = page.getByRole("row");
  const open = (search: string) => async () => {
    await page.goto(`/health?${search}`);
    await rows.nth(3).waitFor();
  };
  console.log(`${checks} checks`);
  await page.goto("/health?groupBy=none&hidePassing=false", { waitUntil: "networkidle" });
  const bytes = Array.from(scripts, (file) => gzipSync(readBuilt(file), { level: 9 }).length);
  console.log(
    `the scripts of its first visit: ${(bytes.reduce((sum, size) => sum + size, 0) / 1000).toFixed(1)} kB, gzip`,
  );
  for (const round of ["first visit", "again"]) {
    await measure(`groups, passing hidden (${round})`, visit, open("groupBy=canary_name"));
    await measure(`no grouping, all (${round})`, visit, open("groupBy=none&hidePassing=false"));
  }
  await measure("by severity", visit, async () => {
    await page.getByRole("button", { name: "Severity", exact: true }).click();
    await page.waitForURL(/sortBy=severity/);
    await page
      .getByRole("columnheader", { name: /Severity/ })
      .and(page.locator("[aria-sort=ascending]"))
      .waitFor();
  });
  await measure("a severity is included", visit, async () => {
    await page.getByRole("button", { name: "Include low" }).click();
    await page.getByRole("button", { name: "Remove filter severity: low" }).waitFor();
  });
  await measure("a search", visit, async () => {
    await page.getByPlaceholder(/^Search by name/).fill("bench-42 check 7");
    await rows.filter({ hasText: "bench-42 check 7" }).first().waitFor();
  });
  await measure("all are shown again", visit, async () => {
    await page.getByRole("button", { name: "Clear all" }).click();
    await rows.nth(20).waitFor();
  });
  await measure("scrolled by 20 screens", visit, async () => {
    await rows.nth(5).hover();
    for (let at = 0; at < 20; at += 1) await page.mouse.wheel(0, 700);
  });
  await measure("all are chosen", visit, async () => {
    await page.getByRole("checkbox", { name: "Select all rows" }).click();
    await page.getByText(/selected$/).waitFor();
  });
  await measure("none is chosen", visit, () =>
    page.getByRole("button", { name: "Clear selection" }).click(),
  );
  await measure("pivot by namespace", visit, async () => {
    await page.goto("/health?groupBy=type&pivotBy=namespace&hidePassing=false");
    await page.getByRole("columnheader", { name: "ns-3" }).waitFor();
  });
  await page.goto("/health?groupBy=none&hidePassing=false");
  await rows.nth(20).waitFor();
  const dialog = page.getByRole("dialog");
  await measure("a check is opened", visit, async () => {
    await rows.nth(4).click();
    await dialog.getByRole("tab", { name: "History" }).waitFor();
  });
  await measure("it is closed", visit, async () => {
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
  await measure("the palette is opened", visit, async () => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox").last().waitFor();
  });
  await measure("the palette finds a check", visit, async () => {
    await page.keyboard.type("bench-42 check 77");
    await page
      .getByRole("option", { name: /bench-42 check 77/ })
      .first()
      .waitFor();
  });
  await page.keyboard.press("Escape");
  await measure("a refresh that changed everything", visit, async () => {
    await db.run(
      sql`insert into health_versions as v (source) values ('bench') on conflict (source) do update set version = v.version + 1`,
    );
    const answered = page.waitForResponse(/canary\/api\/summary/);
    await page.getByRole("button", { name: "Refresh", exact: true }).click();
    await answered;
  });
}

await visitConsole(fill, walk);
