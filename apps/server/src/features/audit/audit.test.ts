import { roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson } from "../../testing/people.ts";
import { forgetOldChanges, KEPT_DAYS } from "./clean-up.ts";

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());
beforeEach(() => app.db.run(sql`delete from audit_log`));

const changes = async () =>
  (await app.admin.get("/api/db/audit_log?select=*,actor:actor_id(name)&order=created_at,id")).json;

test("a write over the data API is written down with who, from where, before and after", async () => {
  const id = "req-audit-1";
  await app.admin.post("/api/db/properties", { name: "a.b", value: "1" }, { "x-request-id": id });
  await app.admin.patch("/api/db/properties?name=eq.a.b", { value: "2" });
  await app.admin.patch("/api/db/properties?name=eq.a.b", { value: "2" });
  await app.admin.delete("/api/db/properties?name=eq.a.b");
  const [made, changed, removed, ...others] = await changes();
  expect(made).toMatchObject({
    actor: { name: "Admin" },
    actor_name: "Admin",
    address: "127.0.0.1",
    request_id: id,
    verb: "insert",
    table_name: "properties",
    row_id: "a.b",
    before: null,
    after: { name: "a.b", value: "1" },
  });
  expect(changed).toMatchObject({ verb: "update", before: { value: "1" }, after: { value: "2" } });
  expect(Object.keys(changed.after)).toEqual(["value"]);
  expect(removed).toMatchObject({ verb: "delete", before: { value: "2" }, after: null });
  // The second PATCH changed nothing.
  expect(others).toEqual([]);
});

test("what was done in one transaction is one act; the same request twice is two", async () => {
  const headers = { "x-request-id": "req-audit-act" };
  const invite = (firstName: string) =>
    app.admin.post(
      "/api/auth/invite_user",
      { firstName, lastName: "X", email: `${firstName}@example.com`, role: "viewer" },
      headers,
    );
  await invite("vera");
  const rows = (await app.admin.get("/api/db/audit_entries?select=table_name,is_first")).json;
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter((row: { is_first: boolean }) => row.is_first)).toHaveLength(1);
  // Whoever chooses the id of their own requests hides nothing behind it.
  await invite("walt");
  const firsts = (await app.admin.get("/api/db/audit_entries?is_first=is.true&select=id")).json;
  expect(firsts).toHaveLength(2);
});

test("of acts that are looked for by one of their rows each is found and counted once", async () => {
  const found = async (query: string) => {
    const { status, json } = await app.admin.get(`/api/audit/acts?${query}`);
    expect(status).toBe(200);
    return json as { rows: { id: string; verb: string; row_name: string }[]; total: number };
  };
  // Each writes several rows.
  for (const name of ["ann", "bob", "cid"])
    await app.admin.post("/api/auth/invite_user", {
      firstName: name,
      lastName: "100%",
      email: `${name}@example.com`,
      role: "viewer",
    });
  const inserts = (await app.admin.get("/api/db/audit_entries?verb=eq.insert&select=id")).json;
  expect(inserts.length).toBeGreaterThan(3);
  const [first, second] = [
    await found("verb=insert&limit=2"),
    await found("verb=insert&limit=2&offset=2"),
  ];
  expect([first.total, first.rows.length, second.total, second.rows.length]).toEqual([3, 2, 3, 1]);
  expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(3);
  expect((await found("verb=delete&limit=2")).total).toBe(0);
  const named = await found(`query=${encodeURIComponent("BOB 100%")}&limit=50&sortBy=actor_name`);
  expect(named).toMatchObject({ total: 1, rows: [{ row_name: "bob 100%" }] });
  expect((await found(`query=${encodeURIComponent("b%b")}&limit=50`)).total).toBe(0);
});

test("who made a document is known", async () => {
  const spec = { interval: 60, http: [{ name: "x", url: "http://127.0.0.1:1/" }] };
  const reply = await app.admin.post("/api/db/canaries?select=id", {
    name: "watched",
    namespace: "default",
    spec,
    source: "UI",
  });
  expect(reply.status).toBe(201);
  expect(await changes()).toMatchObject([{ table_name: "canaries", verb: "insert" }]);
  const made = await app.db.first<{ created_by: string | null }>(
    sql`select p.name as created_by from canaries c join people p on p.id = c.created_by where c.name = 'watched'`,
  );
  expect(made?.created_by).toBe("Admin");
});

test("what is refused or rolled back leaves nothing", async () => {
  const reply = await app.admin.post("/api/db/properties", [
    { name: "c", value: "1" },
    { name: "", value: "1" },
  ]);
  expect(reply.status).toBe(400);
  const gone = await app.admin.patch(
    "/api/db/properties?name=eq.nothing",
    { value: "1" },
    { accept: "application/vnd.pgrst.object+json", prefer: "return=representation" },
  );
  expect(gone.status).toBe(406);
  expect(await changes()).toEqual([]);
});

test("what the program does by itself is not written down", async () => {
  await app.db.run(sql`insert into properties (name, value) values ('machine', '1')`);
  await app.db.run(sql`update canaries set updated_at = now(), labels = '{"a":"b"}'`);
  expect(await changes()).toEqual([]);
});

test("hidden columns stay out", async () => {
  await app.db.transaction(
    (tx) =>
      tx.run(sql`update people set external_id = 'SEKRET', title = 'Dr' where name = 'Admin'`),
    { settings: { "mainstay.actor": JSON.stringify({ name: "Test" }) } },
  );
  const [change] = await changes();
  expect(change).toMatchObject({ actor_id: null, actor_name: "Test", after: { title: "Dr" } });
  expect(JSON.stringify(change)).not.toContain("SEKRET");
});

test("after a year it is forgotten", async () => {
  await app.db.run(
    sql`insert into audit_log (actor_name, verb, table_name, row_id, created_at)
        values ('old', 'insert', 't', '1', now() - make_interval(days => ${KEPT_DAYS + 1})),
               ('new', 'insert', 't', '2', now() - make_interval(days => ${KEPT_DAYS - 1}))`,
  );
  const ctx = { db: app.db, signal: new AbortController().signal } as Parameters<
    typeof forgetOldChanges.run
  >[0];
  expect(await forgetOldChanges.run(ctx)).toMatchObject({ successes: 1, errors: [] });
  expect((await changes()).map(({ actor_name }: { actor_name: string }) => actor_name)).toEqual([
    "new",
  ]);
});

test("nobody can write it", async () => {
  const reply = await app.admin.post("/api/db/audit_log", { actor_name: "me" });
  expect(reply.status).toBe(403);
});

test("the list names what was changed as it is called now, or as it was", async () => {
  const person = await createPerson(app, [], { first: "Ada", last: "Lovelace" });
  const [team] = (
    await app.admin.post(
      "/api/db/teams?select=id",
      { name: "engines" },
      { prefer: "return=representation" },
    )
  ).json;
  await app.admin.post("/api/db/team_members", { team_id: team.id, person_id: person.id });
  await app.admin.post(`/api/rbac/${person.id}/update_role`, { roles: ["editor"] });
  await app.admin.post("/api/db/properties", { name: "x.disable", value: "true" });
  await app.admin.post(`/api/auth/${person.id}/update_state`, { state: "inactive" });
  await app.admin.patch(`/api/db/teams?id=eq.${team.id}`, { name: "difference engines" });
  await app.db.run(
    sql`insert into audit_log (actor_name, verb, table_name, row_id) values ('old', 'insert', 'gone', 'not a uuid')`,
  );
  const reply = await app.admin.get(
    "/api/db/audit_entries?select=table_name,row_name,actor:actor_id(name)&order=created_at",
    { prefer: "count=exact" },
  );
  expect(reply.headers.get("content-range")).toBe("0-6/7");
  expect(
    reply.json.map((row: Record<string, unknown>) => [row["table_name"], row["row_name"]]),
  ).toEqual([
    ["teams", "difference engines"],
    ["team_members", "Ada Lovelace in difference engines"],
    ["casbin_rule", "Ada Lovelace"],
    ["properties", "x.disable"],
    ["identities", "Ada Lovelace"],
    ["teams", "difference engines"],
    ["gone", "not a uuid"],
  ]);
  expect(reply.json[0].actor).toEqual({ name: "Admin" });
});

test("the history of one resource is looked up by it, among however many changes", async () => {
  const [team] = (
    await app.admin.post(
      "/api/db/teams?select=id",
      { name: "looms" },
      { prefer: "return=representation" },
    )
  ).json;
  await app.owner.raw(`
    insert into audit_log (actor_name, verb, table_name, row_id)
    select 'old', 'update', 'teams', generate_ulid()::text from generate_series(1, 3000)`);
  await app.owner.raw("analyze audit_log");
  const history = `resource_type = 'team' and resource_id = '${team.id}'`;
  const found = await app.owner.raw(`select row_name from audit_entries where ${history}`);
  expect(found.rows).toEqual([{ row_name: "looms" }]);
  const { rows } = await app.owner.raw(`
    explain select * from audit_entries where ${history} order by created_at desc, id desc limit 50`);
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toMatch(/Index.* on audit_log a/);
  expect(plan).not.toMatch(/Seq Scan on audit_log/);
});

test.each(roles)("as %s it is read by administrators alone", async (role) => {
  const asker = await createPerson(app, role);
  const status = role === "admin" ? 200 : 403;
  for (const name of ["audit_log", "audit_entries"])
    expect((await asker.get(`/api/db/${name}?limit=1`)).status).toBe(status);
  expect((await asker.get("/api/audit/acts?limit=1")).status).toBe(status);
});
