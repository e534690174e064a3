// Takes long: documents are applied and scraped by the program's own worker.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { expect, onTestFinished, test } from "vitest";
import { startTestApp } from "../../../testing/app.ts";
import { scraperRuns } from "../testing/scraper-runs.ts";

test("of two scrapers that tell an item one has it, until it tells it no more or is deleted", async () => {
  const shared = "0190a6b4-8f0c-7000-8000-00000000000a";
  /** What each tells; both tell the first, each in its own words. */
  const told = new Map([
    ["/one", [shared, "0190a6b4-8f0c-7000-8000-00000000000b"]],
    ["/other", [shared, "0190a6b4-8f0c-7000-8000-00000000000c"]],
  ]);
  const source = createServer((request, response) => {
    const path = request.url!;
    response.end(JSON.stringify(told.get(path)!.map((id) => ({ id, from: path }))));
  });
  await new Promise<void>((resolve) => source.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void source.close());
  const app = await startTestApp();
  onTestFinished(() => app.stop());
  const runs = scraperRuns(app);
  const { port } = source.address() as AddressInfo;
  const scraper = (path: string) =>
    runs.apply({
      http: [{ url: `http://127.0.0.1:${port}${path}`, items: "$[*]", id: "$.id", type: "Thing" }],
    });
  const item = () =>
    app.db.rows(sql`
      select scraper_id, deleted_at, config ->> 'from' as said,
             (select count(*)::int from config_changes c where c.config_id = i.id) as changes
        from config_items i where external_id @> array[${shared}]`);
  const one = await scraper("/one");
  await runs.ran(one);
  const other = await scraper("/other");
  expect(JSON.stringify((await runs.ran(other)).details)).toContain(`from the scraper ${one}`);
  const first = [{ scraper_id: one, deleted_at: null, said: "/one", changes: 0 }];
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([runs.rerun(one), runs.rerun(other)]);
    expect(await item()).toEqual(first);
    await runs.rerun(round % 2 === 0 ? one : other);
  }
  expect(await item()).toEqual(first);
  told.get("/one")!.shift();
  await runs.rerun(one);
  expect(await item()).toEqual(first);
  await runs.rerun(other);
  const second = [{ scraper_id: other, deleted_at: null, said: "/other", changes: 1 }];
  expect(await item()).toEqual(second);
  told.get("/one")!.unshift(shared);
  for (let round = 0; round < 2; round += 1)
    await Promise.all([runs.rerun(one), runs.rerun(other)]);
  expect(await item()).toEqual(second);
  const gone = await app.admin.delete("/api/documents/scraper/default/s2");
  expect(gone.status, gone.text).toBeLessThan(300);
  await runs.rerun(one);
  expect(await item()).toEqual([
    { scraper_id: one, deleted_at: null, said: "/one", changes: expect.any(Number) as number },
  ]);
});
