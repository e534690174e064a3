import type { Role } from "@mainstay/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type IdentityServer,
  signInAsProgram,
  startIdentityServer,
} from "../identity/testing/identity-server.ts";

let server: IdentityServer;
const tokens: Partial<Record<Role, string>> = {};
let admin: { id: string };
beforeAll(async () => {
  server = await startIdentityServer();
  for (const role of ["admin", "editor", "commander", "viewer"] as const) {
    const person = await server.createPerson(`${role}@example.org`, role);
    if (role === "admin") admin = person;
    tokens[role] = await signInAsProgram(server, `${role}@example.org`);
  }
});
afterAll(() => server.stop());

async function ask(role: Role | undefined, path: string, init: RequestInit = {}) {
  const headers = { "content-type": "application/json", prefer: "return=representation" };
  const reply = await fetch(`${server.url}/api/db/${path}`, {
    ...init,
    headers: role ? { ...headers, "x-session-token": tokens[role]! } : headers,
  });
  const text = await reply.text();
  return {
    status: reply.status,
    rows: (text.startsWith("[") ? JSON.parse(text) : undefined) as Record<string, unknown>[],
    text,
  };
}

test("everybody who is signed in sees people, and their own roles", async () => {
  const { status, rows } = await ask(
    "viewer",
    "people?select=*&order=name.asc&email=like.*@example.org",
  );
  expect(status).toBe(200);
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatchObject({ name: "Ada Lovelace", avatar: null });
  expect(rows[0]).not.toHaveProperty("external_id");
  for (const hidden of ["phone", "properties", "last_login"]) {
    expect(rows[0]).not.toHaveProperty(hidden);
    expect((await ask("admin", `people?select=${hidden}`)).status).toBe(400);
    expect((await ask("viewer", `people?${hidden}=not.is.null`)).status).toBe(400);
  }
  expect((await ask(undefined, "people")).status).toBe(401);
});

test.each<[Role, Role[]]>([
  ["admin", ["admin", "commander", "editor", "viewer"]],
  ["editor", ["admin", "commander", "editor", "viewer"]],
  ["commander", ["commander"]],
  ["viewer", ["viewer"]],
])("a %s sees whose roles are which: %j", async (role, seen) => {
  const rolesOf = ({ rows }: { rows: Record<string, unknown>[] }) =>
    rows.flatMap((row) => row["roles"] as string[]).toSorted((a, b) => a.localeCompare(b));
  expect(rolesOf(await ask(role, "people_roles?email=like.*@example.org"))).toEqual(seen);
  // Neither one by one, nor by what can be asked about them.
  const other = await ask(role, `people_roles?id=eq.${admin.id}`);
  expect(other.rows.length).toBe(seen.includes("admin") ? 1 : 0);
  const filtered = await ask(role, "people_roles?roles=cs.{admin}&select=id");
  expect(filtered.rows.length > 0).toBe(seen.includes("admin"));
  const embedded = await ask(role, "people?select=id,people_roles(roles)&limit=1");
  expect(embedded.status).toBe(400);
});

test.each<[Role, number]>([
  ["admin", 200],
  ["editor", 200],
  ["commander", 403],
  ["viewer", 403],
])("a %s who asks for identities gets %i", async (role, status) => {
  expect((await ask(role, "identities")).status).toBe(status);
});

test("identities show what the users page needs and nothing that is nobody's business", async () => {
  const { rows } = await ask("admin", `identities?id=eq.${admin.id}`);
  expect(Object.keys(rows[0]!).toSorted()).toEqual([
    "created_at",
    "first_sign_in_at",
    "id",
    "metadata_public",
    "schema_id",
    "state",
    "state_changed_at",
    "traits",
    "updated_at",
  ]);
});

test.each([
  "identity_credentials",
  "identity_sessions",
  "identity_flows",
  "identity_addresses",
  "identity_codes",
  "identity_devices",
  "identity_errors",
  "encryption_keys",
  "casbin_rule",
  "rpc/delete_person",
])("%s does not exist outside, not even for an administrator", async (path) => {
  expect((await ask("admin", path)).status).toBe(404);
});

test.each(["people", "people_roles", "identities"])("%s is not written by rows", async (path) => {
  const body = JSON.stringify({ name: "Mallory", roles: ["admin"] });
  for (const method of ["POST", "PATCH", "DELETE"]) {
    const query = method === "POST" ? "" : `?id=eq.${admin.id}`;
    const { status } = await ask("admin", path + query, {
      method,
      ...(method === "DELETE" ? {} : { body }),
    });
    expect([method, status >= 400 && status < 500]).toEqual([method, true]);
  }
  expect((await ask("admin", `people_roles?id=eq.${admin.id}`)).rows).toMatchObject([
    { roles: ["admin"] },
  ]);
});
