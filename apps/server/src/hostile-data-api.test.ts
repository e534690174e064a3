import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { features } from "./features.ts";
import { startTestApp, type TestApp } from "./testing/app.ts";
import { createPerson, type TestPerson } from "./testing/people.ts";

/** Ways to more than one may by way of rows, on the whole program. What each role may is in role-matrix.test.ts. */

let app: TestApp;
let editor: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  editor = await createPerson(app, "editor");
  viewer = await createPerson(app, "viewer");
});
afterAll(() => app.stop());

const declared = features.flatMap(({ tables = [] }) => tables);
const rolesOf = async (person: TestPerson) =>
  ((await person.get("/api/auth/whoami")).json as { payload: { roles: string[] } }).payload.roles;

test("no table that is not declared can be read or written, not even by an administrator", async () => {
  const rows = await app.db.rows<{ name: string }>(sql`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'v', 'm', 'p')`);
  const names = new Set(declared.map(({ name }) => name));
  const hidden = rows.map(({ name }) => name).filter((name) => !names.has(name));
  expect(hidden).toEqual(
    expect.arrayContaining([
      "access_tokens",
      "casbin_rule",
      "encryption_keys",
      "identity_codes",
      "identity_credentials",
      "identity_flows",
      "identity_keys",
      "identity_sessions",
    ]),
  );
  const others = [
    "pgboss.job",
    "pgboss/job",
    "pg_authid",
    "pg_shadow",
    "information_schema.tables",
    "rpc/version",
  ];
  for (const name of [...hidden, ...others]) {
    const path = `/api/db/${name}`;
    const replies = [
      await app.admin.get(path),
      await app.admin.post(path, {}),
      await app.admin.patch(`${path}?id=not.is.null`, {}),
      await app.admin.delete(`${path}?id=not.is.null`),
    ];
    expect([name, ...replies.map(({ status }) => status)]).toEqual([name, 404, 404, 404, 404]);
  }
});

test("nothing that is not declared can be embedded", async () => {
  const secret = [
    "access_tokens",
    "identity_sessions",
    "identity_credentials",
    "identity_codes",
    "casbin_rule",
  ];
  for (const table of ["people", "identities", "people_roles"])
    for (const other of secret)
      for (const select of [`*,${other}(*)`, `*,x:${other}!inner(*)`, `*,...${other}(*)`])
        expect([
          select,
          (await app.admin.get(`/api/db/${table}?select=${encodeURIComponent(select)}&limit=1`))
            .status,
        ]).toEqual([select, 400]);
});

test.each([
  ["people", "external_id"],
  ["people", "last_login"],
  ["people", "properties"],
  ["identities", "metadata_admin"],
])(
  "what is hidden of %s (%s) is not selected, compared, sorted by or counted",
  async (table, column) => {
    for (const query of [
      `select=${column}`,
      `select=x:${column}`,
      `${column}=is.null`,
      `or=(${column}.is.null,id.is.null)`,
      `order=${column}`,
      `select=${column}.count()`,
    ])
      expect([query, (await app.admin.get(`/api/db/${table}?${query}`)).status]).toEqual([
        query,
        400,
      ]);
    const { json } = await app.admin.get(`/api/db/${table}?limit=1`);
    expect(Object.keys((json as object[])[0]!)).not.toContain(column);
  },
);

describe("nobody gets a role by writing rows", () => {
  test("of people, identities or roles, whatever the verb", async () => {
    for (const asker of [viewer, editor, app.admin])
      for (const table of ["people", "identities", "people_roles"]) {
        const row = {
          id: viewer.id,
          name: "Mallory",
          state: "active",
          roles: ["admin"],
          type: null,
        };
        const upsert = { prefer: "resolution=merge-duplicates" };
        const replies = [
          await asker.post(`/api/db/${table}`, row),
          await asker.post(`/api/db/${table}`, row, upsert),
          await asker.patch(`/api/db/${table}?id=eq.${viewer.id}`, row),
          await asker.request("PUT", `/api/db/${table}?id=eq.${viewer.id}`, row),
          await asker.delete(`/api/db/${table}?id=eq.${viewer.id}`),
        ];
        for (const { status } of replies) expect(status).toBeGreaterThanOrEqual(400);
        for (const { status } of replies) expect(status).toBeLessThan(500);
      }
    expect(await rolesOf(viewer)).toEqual(["viewer"]);
    expect((await app.admin.get(`/api/db/people?id=eq.${viewer.id}&select=name`)).json).toEqual([
      { name: viewer.name },
    ]);
  });

  test("by the verbs of administrators", async () => {
    for (const asker of [viewer, editor]) {
      const replies = [
        await asker.post(`/api/rbac/${asker.id}/update_role`, { roles: ["admin"] }),
        await asker.post("/api/people/update", {
          id: asker.id,
          role: "admin",
          email: "x@example.org",
        }),
        await asker.post("/api/auth/invite_user", { email: "x@example.org", role: "admin" }),
        await asker.post(`/api/people/${asker.id}/sign-in-link`, {}),
        await asker.post(`/api/people/${asker.id}/reset-second-factor`, {}),
        await asker.post("/api/auth/tokens", { name: "t", roles: ["admin"] }),
        await asker.post("/api/auth/tokens", { name: "t", kind: "service", roles: ["viewer"] }),
      ];
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 403));
    }
  });

  test("by properties of their own", async () => {
    for (const asker of [viewer, editor]) {
      const ask = (body: object) => asker.post(`/api/auth/${asker.id}/properties`, body);
      expect((await ask({ role: "admin" })).status).toBe(403);
      const { status } = await ask({ roles: ["admin"], type: "service", org_role: "admin" });
      expect(status).toBe(200);
      expect(
        (await asker.post(`/api/auth/${app.app.ctx.config.adminEmail}/properties`, {})).status,
      ).toBe(404);
    }
    expect(await rolesOf(viewer)).toEqual(["viewer"]);
    expect(await rolesOf(editor)).not.toContain("admin");
  });

  test("by teams: whoever makes one and joins it may what they might before", async () => {
    const team = { name: "admin", icon: "shield", spec: { roles: ["admin"] } };
    expect((await viewer.post("/api/db/teams", team)).status).toBe(403);
    const made = await editor.post("/api/db/teams?select=id", team, {
      prefer: "return=representation",
    });
    expect(made.status).toBe(201);
    const [{ id }] = made.json as [{ id: string }];
    const member = [{ team_id: id, person_id: editor.id }];
    expect((await editor.post("/api/db/team_members", member)).status).toBe(201);
    expect(await rolesOf(editor)).not.toContain("admin");
    const promote = { roles: ["admin"] };
    expect((await editor.post(`/api/rbac/${editor.id}/update_role`, promote)).status).toBe(403);
  });

  test("by flags, which only editors and administrators write", async () => {
    expect((await viewer.post("/api/db/properties", { name: "x", value: "1" })).status).toBe(403);
    expect((await viewer.patch("/api/db/properties?name=eq.x", { value: "1" })).status).toBe(403);
  });
});
