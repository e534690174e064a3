import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

let app: TestApp;
let admin: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin", { first: "Admin", last: "Istrator" });
});
afterAll(() => app.stop());

test("a link is shown once, lets in once, and is in the audit log without its secret", async () => {
  const person = await createPerson(app, "viewer");
  const made = await admin.post(`/api/people/${person.id}/sign-in-link`);
  expect(made.status, made.text).toBe(200);
  const link = new URL(made.json.link as string);
  expect(link.origin).toBe(app.address);
  const days = (Date.parse(made.json.expires_at as string) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
  const token = link.searchParams.get("token")!;
  const kept = await app.db.first<{ text: string }>(sql`
    select coalesce(string_agg(to_jsonb(c)::text, ''), '') || coalesce((select string_agg(to_jsonb(a)::text, '') from audit_log a), '') as text
      from identity_codes c`);
  expect(kept!.text).not.toContain(token);
  const said = await app.admin.get(
    `/api/db/audit_entries?table_name=eq.identity_codes&row_id=eq.${person.id}&select=actor_name,verb,row_name,after`,
  );
  expect(said.json).toEqual([
    {
      actor_name: "Admin Istrator",
      verb: "insert",
      row_name: person.name,
      after: { purpose: "recovery", expires_at: expect.any(String) },
    },
  ]);
  const opened = await fetch(link, {
    redirect: "manual",
    headers: { accept: "text/html" },
  });
  expect([opened.status, new URL(opened.headers.get("location")!, link).pathname]).toEqual([
    303,
    "/recovery",
  ]);
});

test("whoever is not active gets none", async () => {
  const person = await createPerson(app);
  await admin.post(`/api/auth/${person.id}/update_state`, { state: "inactive" });
  const reply = await admin.post(`/api/people/${person.id}/sign-in-link`);
  expect([reply.status, reply.json.error]).toEqual([
    409,
    "This user is not active. Let them in again first.",
  ]);
});

test("whoever signs in elsewhere gets none here", async () => {
  const person = await app.db.first<{ id: string }>(
    sql`insert into people (name, external_id) values ('Elsewhere', 'user_1') returning id`,
  );
  const reply = await admin.post(`/api/people/${person!.id}/sign-in-link`);
  expect([reply.status, reply.json.error]).toEqual([
    409,
    "This user signs in with another identity service. Change the name, the address or the state there.",
  ]);
});
