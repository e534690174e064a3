// The graph of what hangs on an item of the catalog, in the browser: a thousand cards and twenty thousand items. Frames
// while it is moved and zoomed, beside the frames of a page with nothing on it in the same minute; what of a frame is the
// page's own work (its main thread's processor time); the longest task.
import type { CDPSession, Page } from "playwright-core";
import sql from "sql-template-tag";
import type { Database } from "../apps/server/src/platform/db/database.ts";
import { type ConsoleVisit, visitConsole } from "./console-visit.ts";

const most = 20_000;

async function fill(db: Database): Promise<void> {
  // Two trees of four children each, of a hundred types, so that few make groups; every third item has a soft tie more.
  for (const [tree, count] of [
    ["thousand", 1_000],
    ["most", most],
  ] as const) {
    await db.run(sql`
    insert into config_items (id, type, config_class, name, health, status, tags, parent_id)
    select md5(${tree} || i)::uuid, 'Kind::' || (array['Pod','Service','Secret','Job'])[1 + i % 4] || i % 97, 'Kind', 'item-' || i,
           (array['healthy','healthy','healthy','warning','unhealthy'])[1 + i * 7919 % 5], 'Running',
           '{"namespace":"web","cluster":"production"}', case when i > 0 then md5(${tree} || ((i - 1) / 4))::uuid end
      from generate_series(0, ${count - 1}) i`);
    await db.run(sql`
    insert into config_relationships (config_id, related_id, relation)
    select md5(${tree} || (i * 3 / 11))::uuid, md5(${tree} || i)::uuid, 'Soft' from generate_series(3, ${count - 1}, 3) i`);
  }
}

const rootOf = async (db: Database, tree: string) =>
  (await db.first<{ id: string }>(sql`select md5(${`${tree}0`})::uuid as id`))!.id;

const at = (sorted: readonly number[], part: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);

/** Processor time of the page's main thread so far, in milliseconds. */
async function busyMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send("Performance.getMetrics");
  return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
}

async function measure(
  name: string,
  { context, page, takeSeen }: ConsoleVisit,
  act: () => Promise<unknown>,
): Promise<void> {
  const cdp = await context.newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  await takeSeen();
  const before = await busyMs(cdp);
  const started = performance.now();
  await act();
  const took = performance.now() - started;
  const busy = (await busyMs(cdp)) - before;
  const { frames, tasks } = await takeSeen();
  await cdp.detach();
  const sorted = frames.slice(1).toSorted((one, other) => one - other);
  const cards = await page.locator(".graph-card").count();
  console.log(
    `${name.padEnd(34)} ${took.toFixed(0).padStart(5)} ms; frames: median ${at(sorted, 0.5)}, p95 ${at(sorted, 0.95)}, longest ${at(sorted, 1)} ms; own work ${(busy / Math.max(1, sorted.length)).toFixed(1)} ms a frame; longest task ${Math.max(0, ...tasks).toFixed(0)} ms; ${cards} cards in the page`,
  );
}

const drag = (page: Page) => async () => {
  await page.mouse.move(700, 560);
  await page.mouse.down();
  for (let step = 0; step < 90; step += 1)
    await page.mouse.move(700 + 260 * Math.sin(step / 8), 560 + 180 * Math.cos(step / 11));
  await page.mouse.up();
};
const wheel = (page: Page) => async () => {
  await page.mouse.move(700, 560);
  for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, step < 20 ? 90 : -90);
};

async function walk(visit: ConsoleVisit): Promise<void> {
  const { db, page } = visit;
  await page.goto("/logged-out-nowhere");
  await measure("nothing, moved over", visit, drag(page));
  for (const tree of ["thousand", "most"]) {
    const address = `/catalog/${await rootOf(db, tree)}/relationships?view=graph&relation=soft${tree === "most" ? `&reach=${most}` : ""}`;
    console.log(tree === "most" ? `${most} items, the nearest drawn` : "1,000 cards");
    await page.goto(address);
    await measure("until cards are there", visit, () =>
      page.locator(".graph-card").first().waitFor(),
    );
    await page.waitForTimeout(1_000);
    await measure("moved", visit, drag(page));
    await measure("zoomed", visit, wheel(page));
    await page.getByRole("button", { name: "Show all" }).click();
    await page.waitForTimeout(1_000);
    await measure("moved, all on the screen", visit, drag(page));
    await page.getByRole("application").focus();
    await page.keyboard.press("Home");
    await measure("walked by 60 arrows", visit, async () => {
      for (let step = 0; step < 60; step += 1)
        await page.keyboard.press(step % 3 === 0 ? "ArrowRight" : "ArrowDown");
    });
  }
}

await visitConsole(fill, walk);
