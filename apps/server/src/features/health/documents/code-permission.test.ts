import { type Role, roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { createPerson, type TestPerson } from "../../../testing/people.ts";

/** Who may save and try documents that reach into the server's machine, by every way there is. */

const kinds = {
  exec: { exec: [{ name: "part", script: "id" }] },
  folder: { folder: [{ name: "part", path: "/etc" }] },
  socket: { postgres: [{ name: "part", url: "postgres://postgres@/x?host=/run/nowhere" }] },
  harmless: { http: [{ name: "part", url: "http://127.0.0.1:1/" }] },
} as const;
type Kind = keyof typeof kinds;
const harmless = kinds.harmless;

let made = 0;
const newName = () => `doc-${(made += 1)}`;
const row = (spec: object, name = newName()) => ({
  name,
  namespace: "default",
  source: "UI",
  spec: { schedule: "@never", ...spec },
});
const yaml = (spec: object, name = newName()) =>
  JSON.stringify({
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name, namespace: "default" },
    spec: { schedule: "@never", ...spec },
  });

/** Each way, given what to send: the status that somebody gets. */
type Way = (app: TestApp, person: TestPerson, spec: object) => Promise<number>;

async function stored({ admin }: TestApp, spec: object): Promise<string> {
  const reply = await admin.post("/api/db/canaries?select=id", row(spec), {
    prefer: "return=representation",
  });
  expect(reply.status, reply.text).toBe(201);
  return reply.json[0].id;
}

const ways: Record<string, Way> = {
  insert: async (_, person, spec) => (await person.post("/api/db/canaries", row(spec))).status,
  "insert of several": async (_, person, spec) =>
    (await person.post("/api/db/canaries", [row(harmless), row(spec)])).status,
  "patch of the spec": async (app, person, spec) => {
    const id = await stored(app, harmless);
    const changes = { spec: row(spec).spec };
    return (await person.patch(`/api/db/canaries?id=eq.${id}`, changes)).status;
  },
  "patch of labels": async (app, person, spec) => {
    const id = await stored(app, spec);
    return (await person.patch(`/api/db/canaries?id=eq.${id}`, { labels: { a: "b" } })).status;
  },
  "patch of the name": async (app, person, spec) => {
    const id = await stored(app, spec);
    return (await person.patch(`/api/db/canaries?id=eq.${id}`, { name: newName() })).status;
  },
  "bringing back what was deleted": async (app, person, spec) => {
    const id = await stored(app, spec);
    await app.admin.patch(`/api/db/canaries?id=eq.${id}`, { deleted_at: "now()" });
    return (await person.patch(`/api/db/canaries?id=eq.${id}`, { deleted_at: null })).status;
  },
  documents: async (_, person, spec) =>
    (await person.post("/api/canary/documents", { text: yaml(spec) })).status,
  "documents over a stored one": async (app, person, spec) => {
    const name = newName();
    const first = await app.admin.post("/api/canary/documents", { text: yaml(harmless, name) });
    expect(first.status).toBe(200);
    return (await person.post("/api/canary/documents", { text: yaml(spec, name) })).status;
  },
  "dry run": async (_, person, spec) =>
    (await person.post("/api/canary/run/document", { document: yaml(spec) })).status,
};

/** Nobody needs the permission for these. */
const free: Record<string, Way> = {
  "soft delete": async (app, person, spec) => {
    const id = await stored(app, spec);
    return (await person.patch(`/api/db/canaries?id=eq.${id}`, { deleted_at: "now()" })).status;
  },
  delete: async (app, person, spec) => {
    const id = await stored(app, spec);
    return (await person.delete(`/api/db/canaries?id=eq.${id}`)).status;
  },
  "the same documents again": async (app, person, spec) => {
    const text = yaml(spec);
    expect((await app.admin.post("/api/canary/documents", { text })).status).toBe(200);
    return (await person.post("/api/canary/documents", { text })).status;
  },
};

describe.each<[string, Partial<Parameters<typeof startTestApp>[0]>, Role[]]>([
  ["by default", {}, ["admin"]],
  ["with CODE_ROLES=editor", { codeRoles: ["admin", "editor"] }, ["admin", "editor"]],
])("%s", (_, config, withCode) => {
  let app: TestApp;
  const people = new Map<Role, TestPerson>();
  beforeAll(async () => {
    app = await startTestApp({ role: "api", ...config });
    for (const role of roles) people.set(role, await createPerson(app, role));
  });
  afterAll(() => app.stop());

  describe.each(roles)("%s", (role) => {
    const mayEdit = role === "admin" || role === "editor";
    const answers = async (all: Record<string, Way>, kind: Kind) => {
      const found: Record<string, boolean> = {};
      for (const [name, way] of Object.entries(all)) {
        const status = await way(app, people.get(role)!, kinds[kind]);
        expect(status < 300 || status === 403, `${name}: ${status}`).toBe(true);
        found[name] = status < 300;
      }
      return found;
    };
    const all = (of: Record<string, Way>, is: boolean) =>
      Object.fromEntries(Object.keys(of).map((name) => [name, is]));

    test.each(Object.keys(kinds) as Kind[])("%s", async (kind) => {
      const may = mayEdit && (kind === "harmless" || withCode.includes(role));
      expect(await answers(ways, kind)).toEqual(all(ways, may));
      expect(await answers(free, kind)).toEqual(all(free, mayEdit));
    });
  });

  test("what an editor did not get in is not there, and nothing of it will run", async () => {
    const ran = await app.db.rows<{ name: string }>(sql`
      select c.name from canaries c join people_roles r on r.id = c.created_by
       where c.spec ?| array['exec', 'folder', 'postgres'] and not 'admin' = any(r.roles)`);
    expect(ran.length > 0).toBe(withCode.includes("editor"));
  });

  test("whoever may is told by the console's own question", async () => {
    for (const [role, person] of people) {
      const { payload } = (await person.get("/api/auth/whoami")).json;
      expect(payload.code_roles).toEqual(withCode);
      const policies = payload.permissions.filter(
        ({ object }: { object: string }) => object === "server_code",
      );
      expect(policies.some(({ action }: { action: string }) => action === "write")).toBe(
        withCode.includes(role),
      );
    }
  });
});

describe("the refusal", () => {
  let app: TestApp;
  let editor: TestPerson;
  beforeAll(async () => {
    app = await startTestApp({ role: "api" });
    editor = await createPerson(app, "editor");
  });
  afterAll(() => app.stop());

  const message =
    '"part" runs a program on the server. On this server administrators may do that (CODE_ROLES). Ask one of them to save it.';

  test("names the part, its place in what was sent, and who may", async () => {
    const body = JSON.stringify(row(kinds.exec), undefined, 2);
    const reply = await editor.post("/api/db/canaries", body);
    expect(reply.status).toBe(403);
    const line = body.split("\n").findIndex((text) => text.includes('"exec"')) + 2;
    expect(reply.json.issues).toEqual([{ path: "spec.exec.0", message, line, column: 7 }]);
    expect(reply.json.error).toBe(`Line ${line}, column 7: spec.exec.0: ${message}`);
  });

  test("of several rows says which", async () => {
    const reply = await editor.post("/api/db/canaries", [row(harmless), row(kinds.exec)]);
    expect(reply.json.issues).toMatchObject([{ path: "1.spec.exec.0", message, line: 1 }]);
  });

  test("has no place where no spec was sent", async () => {
    const id = await stored(app, kinds.exec);
    const reply = await editor.patch(`/api/db/canaries?id=eq.${id}`, { labels: {} });
    expect(reply.json.issues).toEqual([{ path: "spec.exec.0", message }]);
  });

  test.each(["documents", "run/document"])("of %s names the line of its document", async (path) => {
    const text = [
      "apiVersion: canaries.flanksource.com/v1",
      "kind: Canary",
      "metadata: { name: first }",
      "spec: { http: [{ name: a, url: 'http://127.0.0.1:1/' }] }",
      "---",
      "apiVersion: canaries.flanksource.com/v1",
      "kind: Canary",
      "metadata: { name: second }",
      "spec:",
      "  folder:",
      "    - name: near",
      "      path: /etc",
    ].join("\n");
    const reply = await editor.post(`/api/canary/${path}`, { text, document: text });
    expect(reply.status).toBe(403);
    expect(reply.json.issues).toMatchObject([{ path: "spec.folder.0", line: 11, column: 7 }]);
    expect(await app.db.rows(sql`select from canaries where name in ('first', 'second')`)).toEqual(
      [],
    );
  });

  test("a token that is limited to editing has no more than an editor", async () => {
    const made = await app.admin.post("/api/auth/tokens", { name: "ci", roles: ["editor"] });
    const authorization = `Bearer ${made.json.payload?.access_token ?? made.json.access_token}`;
    const as = (spec: object) => app.nobody.post("/api/db/canaries", row(spec), { authorization });
    expect((await as(harmless)).status).toBe(201);
    expect((await as(kinds.exec)).status).toBe(403);
  });
});
