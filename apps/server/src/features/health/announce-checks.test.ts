import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createListener, type Listener } from "#platform/events/listener.ts";
import { createLog } from "#platform/log.ts";
import { testDatabase } from "../../testing/app.ts";
import { writeResults } from "./results/write-results.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
let listener: Listener;
let heard: unknown[] = [];

beforeAll(async () => {
  database = await testDatabase();
  listener = createListener({ db: database.db, log: createLog("silent") });
  await listener.on("mainstay_live", (payload) => {
    if (payload !== undefined) heard.push(JSON.parse(payload));
  });
});
afterAll(async () => {
  await listener.close();
  await database.drop();
});

/** What is announced of checks while something is done: the mark that follows it was heard, so all of it was. */
async function announced(act: () => Promise<unknown>): Promise<unknown[]> {
  heard = [];
  await act();
  await database.db.run(sql`select pg_notify('mainstay_live', '"mark"')`);
  await vi.waitFor(() => expect(heard.at(-1)).toBe("mark"), 5_000);
  return heard.filter((said) => (said as { table?: string }).table === "checks");
}

const updated = (id: string, ...columns: string[]) => ({
  table: "checks",
  ids: [id],
  verb: "update",
  columns: expect.arrayContaining(columns),
});

test("which checks there are and how their state changes is announced, not that they ran", async () => {
  const { db } = database;
  const [canary] = await db.rows<{ id: string }>(sql`
    insert into canaries (name, namespace, spec, source) values ('c', 'default', '{}', 'test') returning id`);
  let id = "";
  const made = await announced(async () => {
    const [check] = await db.rows<{ id: string }>(sql`
      insert into checks (canary_id, type, name) values (${canary!.id}, 'http', 'x') returning id`);
    id = check!.id;
  });
  expect(made).toEqual([{ table: "checks", ids: [id], verb: "insert" }]);
  let minute = 0;
  const run = (pass: boolean) =>
    announced(() =>
      db.transaction((tx) =>
        writeResults(tx, [
          {
            checkId: id,
            time: new Date(Date.UTC(2026, 0, 1, 0, (minute += 1))),
            durationMs: 1,
            pass,
            invalid: false,
            failuresNeeded: 1,
            successesNeeded: 1,
          },
        ]),
      ),
    );
  expect(await run(true)).toEqual([updated(id, "status", "last_runtime")]);
  expect(await run(true)).toEqual([]);
  expect(await run(false)).toEqual([updated(id, "status")]);
  expect(await run(false)).toEqual([]);
  expect(
    await announced(() =>
      db.run(sql`update canaries set deleted_at = now() where id = ${canary!.id}`),
    ),
  ).toEqual([updated(id, "deleted_at")]);
});

test("what is said of a check is announced when it changes, and not when the same is said again", async () => {
  const { db } = database;
  const [check] = await db.rows<{ id: string }>(sql`select id from checks limit 1`);
  const { id } = check!;
  const describe = (text: string) =>
    announced(() => db.run(sql`update checks set description = ${text} where id = ${id}`));
  expect(await describe("the front page")).toEqual([updated(id, "description")]);
  expect(await describe("the front page")).toEqual([]);
});
