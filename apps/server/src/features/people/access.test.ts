import { isAllowed, type Resource, roles } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

/** Every endpoint for every role, beside the one matrix. */

let app: TestApp;
let victim: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  victim = await createPerson(app);
});
afterAll(() => app.stop());

let made = 0;
const endpoints: [
  name: string,
  needs: [Resource, "read" | "write"][],
  method: string,
  path: (id: string) => string,
  body?: (id: string) => object,
][] = [
  [
    "inviting",
    [["identities", "write"]],
    "POST",
    () => "/api/auth/invite_user",
    () => ({ firstName: "Grace", lastName: "Hopper", email: `new-${++made}@example.org` }),
  ],
  [
    "inviting with a role",
    [
      ["identities", "write"],
      ["rbac", "write"],
    ],
    "POST",
    () => "/api/auth/invite_user",
    () => ({
      firstName: "Grace",
      lastName: "Hopper",
      email: `new-${++made}@example.org`,
      role: "viewer",
    }),
  ],
  [
    "changing a state",
    [["identities", "write"]],
    "POST",
    (id) => `/api/auth/${id}/update_state`,
    (id) => ({ id, state: "active" }),
  ],
  [
    "changing somebody's properties",
    [["identities", "write"]],
    "POST",
    (id) => `/api/auth/${id}/properties`,
    () => ({ role: "lead" }),
  ],
  [
    "changing roles",
    [["rbac", "write"]],
    "POST",
    (id) => `/api/rbac/${id}/update_role`,
    () => ({ roles: ["viewer"] }),
  ],
  ["the dump", [["rbac", "read"]], "GET", () => "/api/rbac/dump"],
  [
    "editing",
    [["identities", "write"]],
    "POST",
    () => "/api/people/update",
    (id) => ({ id, firstName: "Grace", lastName: "Hopper", email: `${id}@example.org` }),
  ],
  [
    "editing with a role",
    [
      ["identities", "write"],
      ["rbac", "write"],
    ],
    "POST",
    () => "/api/people/update",
    (id) => ({
      id,
      firstName: "Grace",
      lastName: "Hopper",
      email: `${id}@example.org`,
      role: "viewer",
    }),
  ],
  [
    "resetting second factors",
    [["identities", "write"]],
    "POST",
    (id) => `/api/people/${id}/reset-second-factor`,
  ],
  [
    "making a sign-in link",
    [["identities", "write"]],
    "POST",
    (id) => `/api/people/${id}/sign-in-link`,
  ],
  ["deleting", [["identities", "write"]], "DELETE", (id) => `/api/people/${id}`],
];

describe.each(endpoints)("%s", (_, needs, method, path, body) => {
  test.each(roles)("as %s", async (role) => {
    const asker = await createPerson(app, role);
    const target = method === "DELETE" ? await createPerson(app) : victim;
    const reply = await asker.request(method, path(target.id), body?.(target.id));
    const allowed = needs.every(([resource, action]) => isAllowed([role], resource, action));
    expect([reply.status, reply.text]).toEqual([
      allowed ? (method === "DELETE" ? 204 : 200) : 403,
      allowed ? expect.anything() : expect.stringContaining("You do not have permission to"),
    ]);
  });

  test("as nobody", async () => {
    const reply = await app.nobody.request(method, path(victim.id), body?.(victim.id));
    expect([reply.status, reply.json]).toEqual([
      401,
      { error: "Not logged in", message: "Not logged in", code: "unauthenticated" },
    ]);
  });
});

test.each(roles)("a %s may ask who they are, and change their own properties", async (role) => {
  const asker = await createPerson(app, role);
  expect((await asker.post(`/api/auth/${asker.id}/properties`, { theme: "dark" })).json).toEqual({
    message: "success",
  });
  expect((await asker.get("/api/auth/whoami")).json).toMatchObject({
    payload: { user: { id: asker.id, properties: { theme: "dark" } }, roles: [role] },
  });
});

test("without signing in, in checker-only mode, there are no people to change", async () => {
  const open = await startTestApp({ checkerOnly: true, checkerWrite: true, role: "api" });
  try {
    for (const [, , method, path, body] of endpoints) {
      const reply = await open.nobody.request(method, path(victim.id), body?.(victim.id));
      expect([path(""), reply.status]).toEqual([path(""), 403]);
    }
  } finally {
    await open.stop();
  }
});
