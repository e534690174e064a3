import { mostNotes } from "@mainstay/contract/catalog-notes.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";

const item = "0190a0b4-0000-7000-8000-000000000001";
let app: TestApp;
let people: Record<"editor" | "commander" | "responder" | "viewer", TestPerson>;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  await app.db.run(
    sql`insert into config_items (id, name, type, config_class) values (${item}, 'web', 'Pod', 'Pod')`,
  );
  people = {
    editor: await createPerson(app, "editor"),
    commander: await createPerson(app, "commander"),
    responder: await createPerson(app, "responder"),
    viewer: await createPerson(app, "viewer"),
  };
});
afterAll(() => app.stop());

const add = (who: Pick<TestPerson, "post">, note: unknown) =>
  who.post(`/api/catalog/items/${item}/notes`, { note });

test("who may comment on incidents writes notes; a viewer reads them", async () => {
  for (const role of ["editor", "commander", "responder"] as const)
    expect([role, (await add(people[role], `seen by ${role}`)).status]).toEqual([role, 201]);
  expect((await add(people.viewer, "me too")).status).toBe(403);
  expect((await add(app.nobody, "me too")).status).toBe(401);
  const { status, json } = await people.viewer.get(
    `/api/db/config_notes?config_id=eq.${item}&select=note,author:created_by(id,name,avatar)&order=created_at.asc`,
  );
  expect([status, json]).toEqual([
    200,
    (["editor", "commander", "responder"] as const).map((role) => ({
      note: `seen by ${role}`,
      author: expect.objectContaining({ id: people[role].id }),
    })),
  ]);
});

test("a note is its author's, whatever a body says", async () => {
  const { json } = await people.editor.post(`/api/catalog/items/${item}/notes`, {
    note: "  mine,\nin two lines\t🙂  ",
    created_by: people.viewer.id,
    config_id: "0190a0b4-0000-7000-8000-00000000dead",
  });
  expect(json).toMatchObject({
    note: "mine,\nin two lines\t🙂",
    created_by: people.editor.id,
    config_id: item,
  });
  const path = `/api/catalog/notes/${json.id}`;
  expect((await people.responder.patch(path, { note: "not mine" })).status).toBe(403);
  expect((await app.admin.patch(path, { note: "not mine" })).status).toBe(403);
  expect((await people.responder.delete(path)).status).toBe(403);
  const changed = await people.editor.patch(path, { note: "mine, better" });
  expect([changed.status, changed.json.note]).toEqual([200, "mine, better"]);
  expect(Date.parse(changed.json.updated_at)).toBeGreaterThan(Date.parse(json.created_at));
  expect((await people.editor.delete(path)).status).toBe(200);
  expect((await people.editor.delete(path)).status).toBe(404);
});

test("administrators delete any", async () => {
  const { json } = await add(people.commander, "too much");
  expect((await app.admin.delete(`/api/catalog/notes/${json.id}`)).status).toBe(200);
});

test("through the data API notes are read alone", async () => {
  const rows = await app.admin.get(`/api/db/config_notes?config_id=eq.${item}&limit=1`);
  const where = `/api/db/config_notes?id=eq.${rows.json[0].id}`;
  expect((await app.admin.patch(where, { note: "x" })).status).toBeGreaterThanOrEqual(400);
  expect((await app.admin.delete(where)).status).toBeGreaterThanOrEqual(400);
  expect(
    (await app.admin.post("/api/db/config_notes", { config_id: item, note: "x" })).status,
  ).toBeGreaterThanOrEqual(400);
});

test.each([[""], ["   "], ["x".repeat(10_001)], ["a\0b"], [undefined], [7]])(
  "%j is no note",
  async (note) => {
    const { status, json } = await add(people.editor, note);
    expect([status, json.issues?.[0]?.path]).toEqual([400, "note"]);
  },
);

test("what is not there cannot be noted", async () => {
  const nowhere = "0190a0b4-0000-7000-8000-00000000dead";
  const reply = await people.editor.post(`/api/catalog/items/${nowhere}/notes`, { note: "x" });
  expect([reply.status, reply.json.error]).toEqual([404, "There is no such item."]);
  expect((await people.editor.patch(`/api/catalog/notes/${nowhere}`, { note: "x" })).status).toBe(
    404,
  );
});

test("notes are written down in the audit, with the item that they are about", async () => {
  await add(people.editor, "for the record");
  const { json } = await app.admin.get(
    "/api/db/audit_entries?table_name=eq.config_notes&verb=eq.insert&order=created_at.desc&limit=1",
  );
  expect(json).toMatchObject([
    {
      actor_id: people.editor.id,
      resource_type: "configs",
      resource_id: item,
      resource_name: "web",
      after: { note: "for the record" },
    },
  ]);
});

test("an item has so many notes and no more", async () => {
  const full = "0190a0b4-0000-7000-8000-000000000002";
  await app.db.run(
    sql`insert into config_items (id, name, type, config_class) values (${full}, 'full', 'Pod', 'Pod')`,
  );
  await app.db.run(sql`
    insert into config_notes (config_id, note, created_by)
    select ${full}, 'n' || n, ${people.editor.id} from generate_series(1, ${mostNotes - 1}) n`);
  const write = () => people.editor.post(`/api/catalog/items/${full}/notes`, { note: "one more" });
  expect((await write()).status).toBe(201);
  expect((await write()).status).toBe(409);
});
