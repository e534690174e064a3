import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

let app: TestApp;
let editor: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  editor = await createPerson(app, "editor");
});
afterAll(() => app.stop());
beforeEach(() => app.db.run(sql`delete from audit_log`));

const entries = async () =>
  (await app.admin.get("/api/db/audit_entries?select=*&order=created_at,id")).json;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const text = (name: string, spec: object) =>
  JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name },
    spec,
  });
const tryOut = (person: TestPerson | TestApp["admin"], document: string) =>
  person.post("/api/canary/run/document", { document }, { "x-request-id": "req-dry-run" });

test("a dry run is written down with who, from where, what it was called and the text's digest", async () => {
  const document = text("attempt", { exec: [{ name: "x", script: "echo hidden-word" }] });
  expect((await tryOut(app.admin, document)).status).toBe(200);
  const found = await entries();
  expect(found).toMatchObject([
    {
      actor_name: "Admin",
      address: "127.0.0.1",
      request_id: "req-dry-run",
      verb: "dry_run",
      table_name: "documents",
      row_id: "default/attempt",
      row_name: "default/attempt",
      before: null,
      after: { sha256: sha256(document), documents: 1, refused: false },
    },
  ]);
  expect(JSON.stringify(found)).not.toContain("hidden-word");
});

test("both are written before anything runs: the target of the run sees it", async () => {
  const seen: string[] = [];
  const target = createServer((_request, reply) => {
    void app.db
      .rows<{ verb: string }>(sql`select verb from audit_log where verb in ('dry_run', 'run')`)
      .then((rows) => {
        seen.push(rows.map(({ verb }) => verb).join());
        reply.end();
      });
  }).listen(0, "127.0.0.1");
  await once(target, "listening");
  onTestFinished(() => void target.close());
  const { port } = target.address() as AddressInfo;
  const spec = { schedule: "@never", http: [{ name: "seen", url: `http://127.0.0.1:${port}/` }] };
  await tryOut(editor, text("looks", spec));
  await app.db.run(sql`delete from audit_log`);
  await app.admin.post("/api/db/canaries", { name: "looks", namespace: "default", spec });
  const check = await app.db.first<{ id: string }>(sql`select id from checks where name = 'seen'`);
  await editor.post(`/api/canary/run/check/${check?.id}`);
  expect(seen).toEqual(["dry_run", "run"]);
});

test("one that is refused is written down as refused", async () => {
  const document = text("attempt", { exec: [{ name: "x", script: "id" }] });
  expect((await tryOut(editor, document)).status).toBe(403);
  expect(await entries()).toMatchObject([
    { actor_id: editor.id, verb: "dry_run", after: { sha256: sha256(document), refused: true } },
  ]);
});

test("several documents are one run", async () => {
  const document = `${text("one", {})}\n---\n${text("two", {})}`;
  expect((await tryOut(editor, document)).status).toBe(200);
  expect(await entries()).toMatchObject([
    { row_name: "default/one and 1 more", after: { documents: 2 } },
  ]);
});

test("a name that the database cannot hold does not keep a run from being written down", async () => {
  const reply = await tryOut(editor, text("a\u0000b\ud800", {}));
  expect(reply.status).toBe(200);
  expect(await entries()).toMatchObject([{ row_id: "default/a\ufffdb\ufffd" }]);
});

test("what is no document at all leaves nothing", async () => {
  expect((await tryOut(editor, "kind: Canary")).status).toBe(400);
  expect(await entries()).toEqual([]);
});

test("a run on demand is written down with the check and the digest of what is stored", async () => {
  const spec = { schedule: "@never", http: [{ name: "web", url: "http://127.0.0.1:1/" }] };
  await app.admin.post("/api/db/canaries", { name: "stored", namespace: "shop", spec });
  const check = (await app.db.first<{ id: string; spec: string }>(
    sql`select id, spec::text from checks where name = 'web'`,
  ))!;
  const responder = await createPerson(app, "responder");
  const viewer = await createPerson(app, "viewer");
  await app.db.run(sql`delete from audit_log`);
  expect((await viewer.post(`/api/canary/run/check/${check.id}`)).status).toBe(403);
  expect((await responder.post(`/api/canary/run/check/${check.id}`)).status).toBe(200);
  expect(await entries()).toMatchObject([
    {
      actor_id: responder.id,
      address: "127.0.0.1",
      verb: "run",
      table_name: "checks",
      row_id: check.id,
      row_name: "shop/web",
      after: { name: "web", type: "http", sha256: sha256(check.spec) },
    },
  ]);
});
