import { roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

const PATH = "/api/event-deliveries/retry";

/** Three deliveries: two parked of two handlers, one that waits. */
async function park(): Promise<number[]> {
  await app.db.run(sql`delete from event_queue`);
  const event = await app.db.first<{ id: string }>(
    sql`insert into event_queue (name, properties) values ('a', '{}') returning id`,
  );
  const rows = await app.db.rows<{ id: number }>(sql`
    insert into event_deliveries (event_id, event, handler, subject, priority, due_at, attempts, error, parked_at)
    select ${event!.id}::uuid, 'a', handler, 's', 100, now() + interval '1 hour', 33, 'no', parked
      from (values ('one/a', now()), ('two/a', now()), ('three/a', null)) v (handler, parked)
    returning id`);
  return rows.map((row) => row.id);
}
const waiting = async () =>
  (
    await app.db.rows<{ handler: string }>(
      sql`select handler from event_deliveries where parked_at is null and due_at <= now() and attempts = 0 order by handler`,
    )
  ).map((row) => row.handler);

test("parked ones are tried again, by number or by handler, and no others", async () => {
  const [one, , three] = await park();
  expect((await app.admin.post(PATH, { ids: [one, three] })).json).toEqual({ retried: 1 });
  expect(await waiting()).toEqual(["one/a"]);
  expect((await app.admin.post(PATH, { handler: "two/a" })).json).toEqual({ retried: 1 });
  expect(await waiting()).toEqual(["one/a", "two/a"]);
  expect((await app.admin.post(PATH, { handler: "two/a" })).json).toEqual({ retried: 0 });
});

test("it must be said which", async () => {
  await park();
  for (const body of [{}, { ids: [1], handler: "one/a" }, { ids: [] }, { ids: ["x"] }])
    expect((await app.admin.post(PATH, body)).status).toBe(400);
  expect(await waiting()).toEqual([]);
});

test("who had what tried again is on record, refused tries are not", async () => {
  const [one, two] = await park();
  await app.db.run(sql`delete from audit_log where table_name = 'event_deliveries'`);
  const editor = await createPerson(app, "editor");
  await editor.post(PATH, { ids: [one, two] });
  await app.admin.post(PATH, { handler: "three/a" });
  await (await createPerson(app, "viewer")).post(PATH, { handler: "one/a" });
  const reply = await app.admin.get(
    "/api/db/audit_entries?select=actor_id,verb,row_name,after&table_name=eq.event_deliveries&order=created_at",
  );
  expect(reply.json).toEqual([
    { actor_id: editor.id, verb: "run", row_name: `${one}, ${two}`, after: { retried: 2 } },
    { actor_id: expect.any(String), verb: "run", row_name: "three/a", after: { retried: "all" } },
  ]);
});

test("what is parked can be seen, with its error", async () => {
  await park();
  const reply = await app.admin.get(
    "/api/db/event_deliveries?select=handler,error,attempts&parked_at=not.is.null&order=handler",
  );
  expect(reply.json).toEqual([
    { handler: "one/a", error: "no", attempts: 33 },
    { handler: "two/a", error: "no", attempts: 33 },
  ]);
});

test.each(roles)("as %s", async (role) => {
  await park();
  const asker = await createPerson(app, role);
  const may = role === "admin" || role === "editor";
  expect((await asker.post(PATH, { handler: "one/a" })).status).toBe(may ? 200 : 403);
  expect(await waiting()).toEqual(may ? ["one/a"] : []);
});
