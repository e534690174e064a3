// @vitest-environment happy-dom
import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeApi, type FakeRoute } from "../../testing/fake-api.ts";
import { SignInNeeded, startUpQuery } from "./start-up.ts";

const whoami = "GET /api/.ory/sessions/whoami";
const routes: Record<string, FakeRoute> = {
  "GET /api/canary/about": () => ({ body: { Version: "0.1.0" } }),
  [whoami]: () => ({ body: {} }),
  "GET /api/properties": () => ({ body: [{ name: "logs.disable", value: "true" }] }),
  "GET /api/auth/whoami": () => ({
    body: { message: "success", payload: { user: { id: "p1", name: "Ada", email: "a@b" } } },
  }),
  "GET /api/db/people_roles": () => ({ body: [{ id: "p1", roles: ["editor"] }] }),
};

function start(changes: Record<string, FakeRoute> = {}) {
  const api = fakeApi({ ...routes, ...changes });
  const client = new QueryClient();
  const session = client.fetchQuery(startUpQuery(client));
  return { api, session };
}

beforeEach(() => window.history.replaceState({}, "", "/health?tab=web"));
afterEach(() => vi.unstubAllGlobals());

test("session, then flags and person, then roles", async () => {
  const { api, session } = start();
  expect(await session).toMatchObject({
    person: { id: "p1", name: "Ada" },
    roles: ["editor"],
    about: { Version: "0.1.0" },
  });
  expect(api.calls).toEqual([
    "GET /api/canary/about",
    whoami,
    "GET /api/properties",
    "GET /api/auth/whoami",
    "GET /api/db/people_roles?id=in.%28p1%29",
  ]);
});

test("who may run code on the server is the server's to say", async () => {
  const user = { id: "p1", name: "Ada", email: "a@b" };
  const { session } = start({
    "GET /api/auth/whoami": () => ({
      body: { payload: { user, code_roles: ["admin", "editor"] } },
    }),
  });
  expect(await session).toMatchObject({ person: user, codeRoles: ["admin", "editor"] });
});

test.each([
  ["no row", []],
  ["no roles", [{ id: "p1", roles: null }]],
  ["roles nobody knows", [{ id: "p1", roles: ["emperor"] }]],
])("with %s somebody is a viewer", async (_name, body) => {
  const { session } = start({ "GET /api/db/people_roles": () => ({ body }) });
  expect((await session).roles).toEqual(["viewer"]);
});

test.each([
  [401, "/login?return_to=%2Fhealth%3Ftab%3Dweb"],
  [403, "/login?return_to=%2Fhealth%3Ftab%3Dweb&aal=aal2"],
  [422, "/login?return_to=%2Fhealth%3Ftab%3Dweb&aal=aal2"],
])("a session check that answers %d leads to %s, and asks nothing more", async (status, to) => {
  const { api, session } = start({
    "GET /api/canary/about": () => ({ status: 401, body: {} }),
    [whoami]: () => ({ status, body: { error: { id: "session_inactive" } } }),
  });
  const error = await session.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SignInNeeded);
  const url = new URL((error as SignInNeeded).to, "http://x");
  expect(Object.fromEntries(url.searchParams)).toEqual(
    Object.fromEntries(new URL(to, "http://x").searchParams),
  );
  expect(api.calls).toHaveLength(2);
});

test("any other answer is a failure that says what it was", async () => {
  const { session } = start({
    [whoami]: () => ({ status: 500, body: { error: "the identity service is away" } }),
  });
  await expect(session).rejects.toThrow("the identity service is away");
});

test("a server that only checks is asked for nothing else", async () => {
  const { api, session } = start({
    "GET /api/canary/about": () => ({ body: { checkerOnly: true, readOnly: true } }),
  });
  expect(await session).toMatchObject({
    person: null,
    about: { checkerOnly: true, readOnly: true },
  });
  expect(api.calls).toEqual(["GET /api/canary/about"]);
});

test("without a network the console does not pretend", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed to fetch")));
  const client = new QueryClient();
  await expect(client.fetchQuery(startUpQuery(client))).rejects.toThrow(
    "Network Error. Please try again.",
  );
});
