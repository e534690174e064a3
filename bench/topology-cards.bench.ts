// 2,000 components as cards, in the browser: how long until they can be used, and the longest task of the page while it
// comes, is scrolled, filtered and walked with the keyboard.
import sql from "sql-template-tag";
import type { Database } from "../apps/server/src/platform/db/database.ts";
import { type ConsoleVisit, visitConsole } from "./console-visit.ts";

const count = 2_000;

async function fill(db: Database): Promise<void> {
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
}

async function measure(
  name: string,
  { page, takeSeen }: ConsoleVisit,
  act: () => Promise<unknown>,
): Promise<void> {
  await takeSeen();
  const started = performance.now();
  await act();
  const took = performance.now() - started;
  await page.waitForTimeout(300);
  const { tasks } = await takeSeen();
  const cards = await page.locator("[data-card]").count();
  console.log(
    `${name.padEnd(34)} ${took.toFixed(0).padStart(5)} ms; longest task ${Math.max(0, ...tasks).toFixed(0)} ms; ${cards} cards in the page`,
  );
}

async function walk(visit: ConsoleVisit): Promise<void> {
  const { page } = visit;
  const first = page.locator("[data-card]").first();
  for (const which of ["first visit", "second visit"])
    await measure(`${which}, until cards are there`, visit, async () => {
      await page.goto("/topology");
      await first.waitFor();
    });
  await measure("scrolled by 60 turns of the wheel", visit, async () => {
    await page.mouse.move(700, 560);
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, step < 40 ? 400 : -300);
  });
  await measure("to the last card, and back", visit, async () => {
    await first.focus();
    await page.keyboard.press("End");
    await page.locator('[aria-posinset="2000"]').waitFor();
    await page.keyboard.press("Home");
    await page.locator('[aria-posinset="1"]').waitFor();
  });
  await measure("walked by 60 arrows", visit, async () => {
    for (let step = 0; step < 60; step += 1)
      await page.keyboard.press(step % 3 === 0 ? "ArrowRight" : "ArrowDown");
  });
  await measure("sorted by name", visit, async () => {
    await page.getByRole("combobox", { name: "Sort" }).selectOption("name");
    await page.locator('[aria-posinset="1"]', { hasText: /component-1(?!\d)/ }).waitFor();
  });
}

await visitConsole(fill, walk);
