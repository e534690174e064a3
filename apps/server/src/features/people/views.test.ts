import { afterAll, beforeAll, expect, test } from "vitest";
import { type IdentityServer, startIdentityServer } from "../identity/testing/identity-server.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
});
afterAll(() => server.stop());

const rows = async (text: string, values: unknown[] = []) =>
  (await server.db.raw(text, values)).rows as Record<string, unknown>[];

test.each([
  [{ email: "a@x", name: { first: "Ada", last: "Lovelace" } }, "Ada Lovelace", "a@x"],
  [{ email: "b@x", name: { first: "Admin", last: "" } }, "Admin", "b@x"],
  [{ email: "c@x", name: { last: "漢字" } }, "漢字", "c@x"],
  [{ email: "d@x", name: {} }, "d@x", "d@x"],
  [{ email: "e@x" }, "e@x", "e@x"],
  [{}, "Unnamed", null],
])("an identity with %j is the person %s", async (traits, name, email) => {
  const [identity] = await rows("insert into identities (traits) values ($1) returning id", [
    JSON.stringify(traits),
  ]);
  expect(
    await rows("select name, email, deleted_at from people where id = $1", [identity!.id]),
  ).toEqual([{ name, email, deleted_at: null }]);
});

test("a person follows the identity, and goes with it, keeping the row that others point at", async () => {
  const { id } = await server.createPerson("grace@example.org", "editor");
  await server.db.raw("insert into casbin_rule (ptype, v0, v1) values ('g', $1, 'commander')", [
    id,
  ]);
  expect(await rows("select * from people_roles where id = $1", [id])).toEqual([
    { id, name: "Ada Lovelace", email: "grace@example.org", roles: ["editor", "commander"] },
  ]);
  await server.db.raw(
    `update identities set traits = '{"email": "grace@navy.example", "name": {"first": "Grace"}}' where id = $1`,
    [id],
  );
  expect(await rows("select name, email from people where id = $1", [id])).toEqual([
    { name: "Grace", email: "grace@navy.example" },
  ]);
  await server.db.raw("delete from identities where id = $1", [id]);
  expect(
    await rows("select deleted_at is not null as gone from people where id = $1", [id]),
  ).toEqual([{ gone: true }]);
  expect(await rows("select * from people_roles where id = $1", [id])).toEqual([]);
  // The address is free again.
  await server.createPerson("grace@navy.example");
});

test("an address belongs to one identity, however it is written", async () => {
  await server.createPerson("alan@example.org");
  await expect(server.createPerson("ALAN@example.org")).rejects.toMatchObject({ code: "23505" });
});

test("people without a role are viewers until they are deleted; the program's own persons are nothing", async () => {
  const { id } = await server.createPerson("nobody@example.org");
  const row = { id, name: "Ada Lovelace", email: "nobody@example.org", roles: ["viewer"] };
  expect(await rows("select * from people_roles where id = $1", [id])).toEqual([row]);
  await server.db.raw("insert into casbin_rule (ptype, v0, v1) values ('g', $1, 'editor')", [id]);
  expect(await rows("select roles from people_roles where id = $1", [id])).toEqual([
    { roles: ["editor"] },
  ]);
  await server.db.raw("delete from identities where id = $1", [id]);
  expect(await rows("select * from people_roles where id = $1", [id])).toEqual([]);
  await server.db.raw("insert into people (name, type) values ('agent', 'agent')");
  expect(await rows("select name from people_roles where name in ('System', 'agent')")).toEqual([]);
});
