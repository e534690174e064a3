import { type Role, roles } from "@mainstay/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, type SignedIn, signInAs } from "#features/tokens/testing/people.ts";
import { eachLimited } from "#platform/each-limited.ts";
import { startTestApp, type TestApp } from "../testing/app.ts";
import { createPerson } from "../testing/people.ts";
import { ask } from "./testing/ask.ts";
import { type Asked, endpointsOf } from "./testing/endpoints.ts";
import { sample } from "@mainstay/testkit/sample.ts";

/** An access token that tries to become more than it was made to be, by any route there is. */

let app: TestApp;
let boss: SignedIn;
let endpoints: readonly Asked[];
beforeAll(async () => {
  app = await startTestApp({ role: "api", logLevel: "fatal" });
  boss = await signInAs(app, "admin");
  // Routes that are open to everybody are not about who asks; the beginning is enough of them.
  endpoints = endpointsOf(app).filter(({ isOpen }) => !isOpen);
});
afterAll(() => app.stop());

const bodyOf = ({ isReading }: Asked) => (isReading ? {} : { body: "{}" });
const isLetThrough = (status: number) => status !== 401 && status !== 403;

describe.each(sample<Role>(roles, 1))("a token that an administrator limited to %s", (role) => {
  test("is let through by no route that such a person is not", async () => {
    const token = await boss.makeToken({ name: `limited to ${role}`, roles: [role] });
    const person = await createPerson(app, role);
    const wider: string[] = [];
    let through = 0;
    await eachLimited(sample(endpoints, 150), 6, async (asked) => {
      const { method, route, path } = asked;
      const [byToken, byPerson] = [
        await ask(app, { method, path, ...bodyOf(asked), headers: bearer(token) }),
        await ask(app, {
          method,
          path,
          ...bodyOf(asked),
          headers: { "x-session-token": person.token },
        }),
      ];
      if (isLetThrough(byToken.status) && !isLetThrough(byPerson.status))
        wider.push(`${method} ${route}: ${byToken.status}, a ${role} has ${byPerson.status}`);
      if (isLetThrough(byToken.status)) through += 1;
    });
    expect(wider).toEqual([]);
    expect(through).toBeGreaterThan(20);
  });
});

test("a token makes, lists and ends no token, with whatever it asks for", async () => {
  const token = await boss.makeToken({ name: "maker" });
  const before = (await boss.get("/api/auth/tokens?all=true")).json.tokens.length;
  for (const body of [
    { name: "x" },
    { name: "x", roles: ["viewer"] },
    { name: "x", roles: ["admin"], expires_at: null },
    { name: "x", kind: "service", roles: ["admin"] },
    { name: "x", person_id: boss.id },
    { name: "x", token: null, actor: { kind: "person" } },
  ])
    expect((await app.nobody.post("/api/auth/tokens", body, bearer(token))).status).toBe(403);
  for (const path of ["/api/auth/tokens", "/api/auth/tokens?all=true"])
    expect((await app.nobody.get(path, bearer(token))).status).toBe(403);
  for (const method of ["GET", "POST"]) {
    const minted = await app.nobody.request(method, "/api/kubeconfig", undefined, bearer(token));
    expect([method, minted.status >= 400 && minted.status < 500]).toEqual([method, true]);
  }
  expect((await boss.get("/api/auth/tokens?all=true")).json.tokens).toHaveLength(before);
});

describe("what becomes of the owner becomes of the token", () => {
  /** What the token of an administrator may once this happened to them; `null` when it is nobody's any more. */
  const fates: [what: string, then: (owner: SignedIn) => Promise<unknown>, role: Role | null][] = [
    [
      "demoted",
      (owner) => boss.post(`/api/rbac/${owner.id}/update_role`, { roles: ["viewer"] }),
      "viewer",
    ],
    [
      "deactivated",
      (owner) => boss.post(`/api/auth/${owner.id}/update_state`, { state: "inactive" }),
      null,
    ],
    ["deleted", (owner) => boss.delete(`/api/people/${owner.id}`), null],
  ];

  test.each(fates)("%s", async (what, happen, role) => {
    const owner = await signInAs(app, "admin");
    const token = await owner.makeToken({ name: `of somebody who is ${what}` });
    const whoami = () => app.nobody.get("/api/auth/whoami", bearer(token));
    expect((await whoami()).json.payload.roles).toEqual(["admin"]);
    await happen(owner);
    const person = role ? await createPerson(app, role) : undefined;
    const wider: string[] = [];
    await eachLimited(sample(endpoints, 25), 6, async (asked) => {
      const { method, route, path } = asked;
      const { status } = await ask(app, { method, path, ...bodyOf(asked), headers: bearer(token) });
      const most = person
        ? await ask(app, {
            method,
            path,
            ...bodyOf(asked),
            headers: { "x-session-token": person.token },
          })
        : { status: 401 };
      if (isLetThrough(status) && !isLetThrough(most.status))
        wider.push(`${method} ${route}: ${status}`);
      if (role === null && status !== 401) wider.push(`${method} ${route}: ${status}, wanted 401`);
    });
    expect(wider).toEqual([]);
  });
});
