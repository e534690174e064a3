import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { holdCanary } from "./hold-canary.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

test("what was done while a canary was held counts, also when the database does not take it back", async () => {
  await app.db.run(
    sql`insert into schedules (kind, key, schedule) values ('canary', 'held', '@never')`,
  );
  const { id } = (await app.db.first<{ id: string }>(sql`select id from workers`))!;
  const kept = new Set<string>();
  const workers = {
    id,
    keep({ key }: { key: string }) {
      kept.add(key);
      return () => kept.delete(key);
    },
  };
  const cut = {
    ...app.app.ctx.db,
    run: () => Promise.reject(new Error("Connection terminated unexpectedly")),
  };
  const held = holdCanary(
    app.app.ctx.with({ db: cut }),
    { canaryId: "held", workers, waitMs: 0 },
    async () => [...kept],
  );
  expect(await held).toEqual(["held"]);
  expect(kept).toEqual(new Set());
});
