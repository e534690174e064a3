// Takes long: documents are applied and scraped by the program's own worker.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { expect, onTestFinished, test } from "vitest";
import { startTestApp } from "../../../testing/app.ts";
import { scraperRuns } from "../testing/scraper-runs.ts";

test.each([2, -2])("a server whose clock is %s hours from its database's", async (hours) => {
  const shown = { size: 1, ids: ["a", "b"] };
  const source = createServer((_request, response) => {
    response.end(JSON.stringify(shown.ids.map((id) => ({ id, size: shown.size }))));
  });
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void source.close());
  const app = await startTestApp(
    {},
    { clock: { now: () => new Date(Date.now() + hours * 3600_000) } },
  );
  onTestFinished(() => app.stop());
  const runs = scraperRuns(app);
  const { port } = source.address() as AddressInfo;
  const id = await runs.apply({
    retention: { staleItemAge: "1h" },
    http: [{ url: `http://127.0.0.1:${port}/`, items: "$[*]", id: "$.id", type: "Thing" }],
  });
  await runs.ran(id);
  const stored = () =>
    app.db.rows(sql`
      select name, deleted_at, (select count(*)::int from config_changes c where c.config_id = i.id) as changes,
             abs(extract(epoch from now() - coalesce(updated_at, created_at))) < 600 as is_of_now
        from config_items i where scraper_id = ${id} order by name`);
  const things = (changes: number) =>
    ["a", "b"].map((name) => ({ name, deleted_at: null, changes, is_of_now: true }));
  expect(await stored()).toEqual(things(0));
  shown.size = 2;
  expect((await runs.rerun(id)).details.scrape_summary).toMatchObject({ Thing: { updated: 2 } });
  // Not seen once, a moment after it was seen.
  shown.ids = ["a"];
  expect(await runs.rerun(id)).toMatchObject({ status: "SUCCESS", success_count: 1 });
  expect(await stored()).toEqual(things(1));
  await app.db.run(sql`
    update config_item_scrapes set seen_at = seen_at - interval '61 minutes' where scraper_id = ${id}`);
  expect((await runs.rerun(id)).details.scrape_summary).toMatchObject({ Thing: { deleted: 1 } });
});
