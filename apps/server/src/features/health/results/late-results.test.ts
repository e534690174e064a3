import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { lateResults } from "./late-results.ts";

test.each([
  [0, undefined],
  [30_000, undefined],
  [45_900, "results of checks have waited for 45 s to be written to the database"],
])("%s ms", (oldestMs, sentence) => {
  expect(lateResults(oldestMs)).toBe(sentence);
});

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app.stop());

const oldest = async () => {
  const { text } = await app.nobody.get("/metrics");
  return Number(/^mainstay_check_results_oldest_seconds ([\d.]+)/m.exec(text)?.[1]);
};

test("a server whose results cannot be written is not ready and says so, while its database answers", async () => {
  const blocker = await app.db.connect();
  await blocker.query("begin");
  // Nobody can write results, everybody can read them.
  await blocker.query("lock table check_statuses in exclusive mode");
  await app.admin.post("/api/db/canaries", {
    name: "stuck",
    namespace: "test",
    spec: { schedule: "@every 1s", tcp: [{ name: "t", endpoint: "127.0.0.1:1" }] },
  });
  await vi.waitFor(async () => expect(await oldest()).toBeGreaterThan(0), { timeout: 15_000 });
  expect((await app.nobody.get("/api/_ready")).status).toBe(200);

  // Half a minute later, by this process's clock.
  const before = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => before() + 31_000);
  const ready = await app.nobody.get("/api/_ready");
  const summary = await app.admin.get("/api/canary/api/summary");
  expect(await oldest()).toBeGreaterThan(31);
  vi.restoreAllMocks();
  expect(ready.status).toBe(503);
  expect(ready.json).toEqual({
    ready: false,
    reason: expect.stringMatching(/^results of checks have waited for 3\d s to be written/),
  });
  expect(summary.json.late).toBe(ready.json.reason);
  expect((await app.nobody.get("/api/_health")).status).toBe(200);

  await blocker.query("rollback");
  await blocker.end();
  await vi.waitFor(
    async () => {
      expect((await app.nobody.get("/api/_ready")).status).toBe(200);
      const row = await app.db.first<{ runs: number }>(
        sql`select count(*)::int as runs from check_statuses`,
      );
      expect(row!.runs).toBeGreaterThan(1);
    },
    { timeout: 15_000 },
  );
});
