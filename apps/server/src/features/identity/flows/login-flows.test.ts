import { verify } from "@node-rs/argon2";
import type { LoginFlow, Session } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  PASSWORD,
  signInAsBrowser,
  signInAsProgram,
  startIdentityServer,
} from "../testing/identity-server.ts";

// The real library, watched.
vi.mock("@node-rs/argon2", { spy: true });
let server: IdentityServer;
beforeAll(async () => {
  server = await startIdentityServer();
  await server.createPerson("ada@example.org", "editor");
});
afterAll(() => server.stop());
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    headers: { accept: "application/json", ...headers },
    redirect: "manual",
  });

describe("a browser by the official client", () => {
  test("signs in, is known, signs out, is unknown", async () => {
    const jar = new CookieJar();
    const begun = jar.keep(await server.client.createBrowserLoginFlow({ returnTo: "/health?x=1" }));
    expect(begun.status).toBe(200);
    const flow: LoginFlow = begun.data;
    expect(flow).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "browser",
      return_to: "/health?x=1",
      refresh: false,
      requested_aal: "aal1",
      state: "choose_method",
      request_url: `${server.url}/api/.ory/self-service/login/browser?return_to=%2Fhealth%3Fx%3D1`,
      ui: { action: `${server.url}/api/.ory/self-service/login?flow=${flow.id}`, method: "POST" },
    });
    for (const at of [flow.issued_at, flow.created_at, flow.updated_at, flow.expires_at])
      expect(Date.parse(at!)).not.toBeNaN();
    expect(Date.parse(flow.expires_at) - Date.parse(flow.issued_at)).toBe(3_600_000);
    expect(
      flow.ui.nodes.map(({ group, attributes }) => [
        group,
        "name" in attributes && attributes.name,
      ]),
    ).toEqual([
      ["default", "csrf_token"],
      ["default", "identifier"],
      ["password", "password"],
      ["password", "method"],
    ]);
    const again = await server.client.getLoginFlow({ id: flow.id, cookie: jar.toString() });
    expect(again.data).toEqual(flow);

    const signedIn = jar.keep(
      await server.client.updateLoginFlow({
        flow: flow.id,
        cookie: jar.toString(),
        updateLoginFlowBody: {
          method: "password",
          identifier: " ADA@example.org ",
          password: PASSWORD,
          csrf_token: csrfTokenOf(flow),
        },
      }),
    );
    expect(signedIn.status).toBe(200);
    expect(Object.keys(signedIn.data)).toEqual(["session", "continue_with"]);
    const cookie = (signedIn.headers["set-cookie"] as string[]).find((line) =>
      line.startsWith("ory_kratos_session="),
    );
    expect(cookie).toMatch(
      /^ory_kratos_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
    );

    const known = await server.client.toSession({ cookie: jar.toString() });
    expect(known.status).toBe(200);
    const session: Session = known.data;
    expect(session).toEqual(signedIn.data.session);
    expect(session).toMatchObject({
      active: true,
      authenticator_assurance_level: "aal1",
      authentication_methods: [{ method: "password", aal: "aal1" }],
      identity: {
        state: "active",
        schema_id: "default",
        traits: { email: "ada@example.org", name: { first: "Ada", last: "Lovelace" } },
      },
      devices: [{ ip_address: "127.0.0.1" }],
    });
    expect(known.headers["x-kratos-authenticated-identity-id"]).toBe(session.identity!.id);

    const { data: logout } = await server.client.createBrowserLogoutFlow({
      cookie: jar.toString(),
    });
    expect(logout.logout_url).toBe(
      `${server.url}/api/.ory/self-service/logout?token=${logout.logout_token}`,
    );
    const left = jar.toString();
    const out = jar.keep(
      await server.client.updateLogoutFlow({
        token: logout.logout_token,
        returnTo: "/health",
        cookie: left,
      }),
    );
    expect(out.status).toBe(204);
    expect(jar.get("ory_kratos_session")).toBeUndefined();
    expect((await server.client.toSession({ cookie: left })).status).toBe(401);
  });

  test("is told alike, and after the same work, that an address or a password is wrong", async () => {
    vi.mocked(verify).mockClear();
    const bodies = [];
    for (const identifier of ["ada@example.org", "nobody@example.org"]) {
      const jar = new CookieJar();
      const { data: flow } = jar.keep(await server.client.createBrowserLoginFlow({}));
      const refused = await server.client.updateLoginFlow({
        flow: flow.id,
        cookie: jar.toString(),
        updateLoginFlowBody: {
          method: "password",
          identifier,
          password: "wrong",
          csrf_token: csrfTokenOf(flow),
        },
      });
      expect(refused.status).toBe(400);
      expect(refused.headers["set-cookie"]).toBeUndefined();
      const body = refused.data as unknown as LoginFlow;
      expect(body).toMatchObject({
        id: flow.id,
        active: "password",
        ui: { messages: [{ id: 4000006, type: "error" }] },
      });
      expect(body.ui.nodes[1]!.attributes).toMatchObject({ name: "identifier", value: identifier });
      expect(JSON.stringify(body)).not.toContain('wrong"');
      expect(
        (await server.client.getLoginFlow({ id: flow.id, cookie: jar.toString() })).data,
      ).toEqual(body);
      bodies.push(body.ui.messages);
    }
    expect(bodies[0]).toEqual(bodies[1]);
    expect(verify).toHaveBeenCalledTimes(2);
  });

  test.each([
    [{ identifier: "", password: "x" }, ["identifier"]],
    [{ identifier: "x", password: "" }, ["password"]],
    [{}, ["identifier", "password"]],
  ])("is told what is missing in %j", async (fields, missing) => {
    const jar = new CookieJar();
    const { data: flow } = jar.keep(await server.client.createBrowserLoginFlow({}));
    const { status, data } = await server.client.updateLoginFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateLoginFlowBody: {
        method: "password",
        csrf_token: csrfTokenOf(flow),
        ...fields,
      } as never,
    });
    expect(status).toBe(400);
    const complaining = (data as unknown as LoginFlow).ui.nodes.filter((node) =>
      node.messages.some(({ id }) => id === 4000002),
    );
    expect(complaining.map(({ attributes }) => "name" in attributes && attributes.name)).toEqual(
      missing,
    );
  });

  test("cannot sign in by a method that is not there", async () => {
    const jar = new CookieJar();
    const { data: flow } = jar.keep(await server.client.createBrowserLoginFlow({}));
    const { status, data } = await server.client.updateLoginFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateLoginFlowBody: {
        method: "code",
        identifier: "ada@example.org",
        csrf_token: csrfTokenOf(flow),
      },
    });
    expect(status).toBe(400);
    expect(data).toMatchObject({ ui: { messages: [{ id: 4010002 }] } });
  });

  test("who is signed in is told so, unless asked to confirm", async () => {
    const jar = await signInAsBrowser(server, "ada@example.org");
    const already = await server.client.createBrowserLoginFlow({ cookie: jar.toString() });
    expect(already.status).toBe(400);
    expect(already.data).toMatchObject({
      error: { id: "session_already_available", code: 400, status: "Bad Request" },
    });

    const before = jar.get("ory_kratos_session")!;
    const { data: flow } = jar.keep(
      await server.client.createBrowserLoginFlow({ refresh: true, cookie: jar.toString() }),
    );
    expect(flow).toMatchObject({ refresh: true, ui: { messages: [{ id: 1010003 }] } });
    expect(flow.ui.nodes[1]!.attributes).toMatchObject({
      name: "identifier",
      type: "hidden",
      value: "ada@example.org",
    });
    const confirmed = jar.keep(
      await server.client.updateLoginFlow({
        flow: flow.id,
        cookie: jar.toString(),
        updateLoginFlowBody: {
          method: "password",
          identifier: "ada@example.org",
          password: PASSWORD,
          csrf_token: csrfTokenOf(flow),
        },
      }),
    );
    expect(confirmed.status).toBe(200);
    // Another token, and the old one is void at once.
    expect(jar.get("ory_kratos_session")).not.toBe(before);
    expect((await server.client.toSession({ cookie: `ory_kratos_session=${before}` })).status).toBe(
      401,
    );
    expect((await server.client.toSession({ cookie: jar.toString() })).status).toBe(200);
  });

  test("a flow begun before and submitted after signing in elsewhere says so", async () => {
    const jar = new CookieJar();
    const { data: flow } = jar.keep(await server.client.createBrowserLoginFlow({}));
    await signInAsBrowser(server, "ada@example.org", jar);
    const { status, data } = await server.client.updateLoginFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateLoginFlowBody: {
        method: "password",
        identifier: "ada@example.org",
        password: PASSWORD,
        csrf_token: csrfTokenOf(flow),
      },
    });
    expect([status, data]).toMatchObject([400, { error: { id: "session_already_available" } }]);
  });

  test("the console's empty aal is the first level; others need a session or do not exist", async () => {
    expect(
      (await get("/api/.ory/self-service/login/browser?refresh=false&aal=&return_to=/")).status,
    ).toBe(200);
    const second = await get("/api/.ory/self-service/login/browser?aal=aal2");
    expect([second.status, await second.json()]).toMatchObject([
      401,
      { error: { id: "session_aal1_required" } },
    ]);
    expect((await get("/api/.ory/self-service/login/browser?aal=aal9")).status).toBe(400);
  });
});

describe("a program by the official client", () => {
  test("signs in, is known by both headers, signs out", async () => {
    const { data: flow } = await server.client.createNativeLoginFlow({});
    expect(flow).toMatchObject({ type: "api", ui: { method: "POST" } });
    expect(csrfTokenOf(flow)).toBe("");
    const { data, status, headers } = await server.client.updateLoginFlow({
      flow: flow.id,
      updateLoginFlowBody: {
        method: "password",
        identifier: "ada@example.org",
        password: PASSWORD,
      },
    });
    expect(status).toBe(200);
    expect(headers["set-cookie"]).toBeUndefined();
    expect(data).toMatchObject({
      session: { active: true, identity: { traits: { email: "ada@example.org" } } },
    });
    const token = data.session_token!;
    expect((await server.client.toSession({ xSessionToken: token })).data.id).toBe(data.session.id);
    expect(
      (await get("/api/.ory/sessions/whoami", { authorization: `Bearer ${token}` })).status,
    ).toBe(200);
    expect((await get("/api/auth/whoami", { authorization: `bearer ${token}` })).status).toBe(200);

    const already = await server.client.createNativeLoginFlow({ xSessionToken: token });
    expect(already.data).toMatchObject({ error: { id: "session_already_available" } });

    const out = () =>
      server.client.performNativeLogout({ performNativeLogoutBody: { session_token: token } });
    expect((await out()).status).toBe(204);
    expect((await server.client.toSession({ xSessionToken: token })).status).toBe(401);
    expect((await out()).status).toBe(204);
    const never = await server.client.performNativeLogout({
      performNativeLogoutBody: { session_token: "x".repeat(43) },
    });
    expect(never.status).toBe(403);
  });
});

test("nobody is told so in the shape that clients know", async () => {
  const { status, data } = await server.client.toSession();
  expect(status).toBe(401);
  expect(data).toEqual({
    error: {
      id: "session_inactive",
      code: 401,
      status: "Unauthorized",
      message: "The request could not be authorized",
      reason: expect.any(String),
    },
  });
  expect((await server.client.createBrowserLogoutFlow({})).data).toMatchObject({
    error: { code: 401 },
  });
});

test("an error that is looked up is not there", async () => {
  const { status, data } = await server.client.getFlowError({
    id: "5f0c6f0e-0000-4000-8000-000000000000",
  });
  expect([status, data]).toMatchObject([404, { error: { code: 404, status: "Not Found" } }]);
});

test("signing in is remembered on the person, and no secret reaches the log", async () => {
  const token = await signInAsProgram(server, "ada@example.org");
  const { rows } = await server.db.raw(
    "select last_login from people where email = 'ada@example.org'",
  );
  expect(Date.now() - (rows[0] as { last_login: Date }).last_login.getTime()).toBeLessThan(60_000);
  const log = server.logged.join("");
  expect(log).toContain("signed in");
  expect(log).not.toContain(PASSWORD);
  expect(log).not.toContain(token);
});
