import type { SettingsFlow } from "@ory/kratos-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FlowBody, type Kind, messageIds, successorOf, Walker } from "../testing/flows.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";
import { codeIn, type MailServer, startMailServer } from "../testing/mail-server.ts";
import { attributesOf, codeOf, linkApp } from "../testing/second-factors.ts";

/** What clients written for a Kratos 1.3.1 rely on; each was compared with one. */

const MINUTE = 60_000;
const NEW_PASSWORD = "another good password";
const EVIL = "https://evil.example/";
let mail: MailServer;
let server: IdentityServer;
let email: string;
let walker: Walker;
let made = 0;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startIdentityServer({
    registration: "open",
    signInByCode: true,
    smtpUrl: mail.url,
  });
  await server.createPerson("first@example.org", "admin");
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
  walker = new Walker(server);
});

const signIn = async (who: Walker, query = {}, password = PASSWORD) => {
  const { body: flow } = await who.begin("login", query);
  return who.send("login", flow, { method: "password", identifier: email, password });
};
const ory = (path: string) => `${server.url}/api/.ory${path}`;
const stepAddress = (returnTo?: string) =>
  ory(
    `/self-service/login/browser?${new URLSearchParams({ aal: "aal2", ...(returnTo ? { return_to: returnTo } : {}) }).toString()}`,
  );
const whoIs = (headers: Record<string, string>) =>
  fetch(`${server.url}/api/auth/whoami`, { headers }).then(({ status }) => status);

describe("the right password of somebody with a second factor", () => {
  let secret: string;
  beforeEach(async () => {
    secret = await linkApp(server, await signInAsBrowser(server, email));
    server.advance(MINUTE);
  });

  test("sends a browser on to the second step, and tells nothing else", async () => {
    const { status, body } = await signIn(walker, { return_to: "/health?tag=a" });
    expect([status, body]).toMatchObject([
      422,
      {
        error: { id: "browser_location_change_required", code: 422 },
        redirect_browser_to: stepAddress("/health?tag=a"),
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(email);
    expect(await whoIs({ cookie: walker.jar.toString() })).toBe(401);
    // As the browser goes: to the page of a flow that leads to where the first one would have.
    const page = await walker.visit(stepAddress("/health?tag=a").slice(server.url.length));
    const [, id] = /^303 \/login\?flow=([\w-]+)$/.exec(page)!;
    const { body: step } = await walker.get("login", id!);
    const totp = { method: "totp", totp_code: codeOf(server, secret) };
    const done = await walker.send("login", step, totp);
    expect([done.status, done.body.continue_with]).toEqual([
      200,
      [{ action: "redirect_browser_to", redirect_browser_to: `${server.url}/health?tag=a` }],
    ]);
    expect(await whoIs({ cookie: walker.jar.toString() })).toBe(200);
  });

  test("leads a page there", async () => {
    const { body: flow } = await walker.begin("login", { return_to: "/health" });
    const reply = walker.jar.keep(
      await fetch(ory(`/self-service/login?flow=${flow.id}`), {
        method: "POST",
        redirect: "manual",
        headers: { accept: "text/html", cookie: walker.jar.toString(), origin: server.url },
        body: new URLSearchParams({
          csrf_token: flow.ui.nodes[0]!.attributes.value as string,
          method: "password",
          identifier: email,
          password: PASSWORD,
        }),
      }),
    );
    expect([reply.status, reply.headers.get("location")]).toEqual([303, stepAddress("/health")]);
  });

  test("gives a program a session without the person in it", async () => {
    const program = new Walker(server, { isProgram: true });
    const { status, body } = await signIn(program);
    expect([status, body]).toMatchObject([
      200,
      { session_token: program.token, session: { authenticator_assurance_level: "aal1" } },
    ]);
    expect((body as unknown as { session: { identity: unknown } }).session.identity).toBeNull();
    expect(JSON.stringify(body)).not.toContain(email);
    expect(await whoIs({ "x-session-token": program.token! })).toBe(401);
  });

  test("keeps return_to of the settings they asked for", async () => {
    await signIn(walker);
    const wanted = "/api/.ory/self-service/settings/browser?return_to=%2Fhealth";
    const { status, body } = await walker.begin("settings", { return_to: "/health" });
    expect([status, body]).toMatchObject([
      403,
      { error: { id: "session_aal2_required" }, redirect_browser_to: stepAddress(wanted) },
    ]);
    expect(await walker.visit(wanted)).toBe(`303 ${stepAddress(wanted)}`);
    const foreign = await walker.begin("settings", { return_to: EVIL });
    expect(foreign.status).toBe(400);
  });
});

describe("a change that needs a fresh sign-in", () => {
  let flow: FlowBody;
  beforeEach(async () => {
    await signIn(walker);
    server.advance(16 * MINUTE);
    flow = (await walker.begin("settings", { return_to: "/health" })).body;
  });
  const change = { method: "password", password: NEW_PASSWORD };
  const back = () => `/api/.ory/self-service/settings?flow=${flow.id}`;

  test("is done when they come back from it", async () => {
    const refused = await walker.send("settings", flow, change);
    const leadsTo = new URLSearchParams({ refresh: "true", return_to: back() }).toString();
    expect([refused.status, refused.body]).toMatchObject([
      403,
      {
        error: { id: "session_refresh_required" },
        redirect_browser_to: ory(`/self-service/login/browser?${leadsTo}`),
      },
    ]);
    const confirmed = await signIn(walker, { refresh: "true", return_to: back() });
    expect([confirmed.status, confirmed.body.continue_with]).toMatchObject([
      200,
      [{ redirect_browser_to: server.url + back() }],
    ]);
    expect(await walker.visit(back())).toBe("303 /health");
    const { body } = await walker.get("settings", flow.id);
    expect([body.state, messageIds(body)]).toEqual(["success", [1050001]]);
    expect((await signIn(new Walker(server))).status).toBe(400);
    expect((await signIn(new Walker(server), {}, NEW_PASSWORD)).status).toBe(200);
  });

  test("is not done before it, nor in another browser, nor a second time", async () => {
    await walker.send("settings", flow, change);
    expect(await walker.visit(back())).toContain("/self-service/login/browser?refresh=true");
    const thief = new Walker(server);
    await thief.begin("login");
    await signIn(thief);
    expect(await thief.visit(back())).toMatch(/^303 \/error\?id=/);
    // Only the session was stolen, not the cookie that the form belongs to.
    thief.jar.set("ory_kratos_session", walker.jar.get("ory_kratos_session")!);
    expect(await thief.visit(back())).toMatch(/^303 \/error\?id=/);
    expect((await signIn(new Walker(server), {}, NEW_PASSWORD)).status).toBe(400);
    await signIn(walker, { refresh: "true", return_to: back() });
    expect(await walker.visit(back())).toBe("303 /health");
    expect(await walker.visit(back())).toBe(`303 /profile-settings?flow=${flow.id}`);
  });

  test("is not done for somebody else who signs in there, nor a quarter of an hour later", async () => {
    await walker.send("settings", flow, change);
    const other = `other-${made}@example.org`;
    await server.createPerson(other);
    const shared = new Walker(server, { jar: walker.jar.copy() });
    shared.jar.delete("ory_kratos_session");
    await signInAsBrowser(server, other, shared.jar);
    expect(await shared.visit(back())).toMatch(/^303 \/error\?id=/);
    server.advance(16 * MINUTE);
    await signIn(walker, { refresh: "true", return_to: back() });
    expect(await walker.visit(back())).toBe(`303 /profile-settings?flow=${flow.id}`);
    expect((await signIn(new Walker(server), {}, NEW_PASSWORD)).status).toBe(400);
  });

  test("is kept encrypted, and is no part of what the form says", async () => {
    await walker.send("settings", flow, change);
    const { rows } = await server.db.raw("select state::text from identity_flows where id = $1", [
      flow.id,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(NEW_PASSWORD);
    expect(JSON.stringify((await walker.get("settings", flow.id)).body)).not.toContain(
      NEW_PASSWORD,
    );
  });

  test("that is wrong is said to be when they come back", async () => {
    await walker.send("settings", flow, { method: "password", password: "short" });
    await signIn(walker, { refresh: "true", return_to: back() });
    expect(await walker.visit(back())).toBe(`303 /profile-settings?flow=${flow.id}`);
    const { body } = await walker.get("settings", flow.id);
    const password = attributesOf(body as unknown as SettingsFlow, "password");
    expect(password).toBeDefined();
    expect(body.ui.nodes.flatMap(({ messages }) => messages.map(({ id }) => id))).toEqual([
      4000032,
    ]);
  });
});

describe("return_to", () => {
  test.each<Kind>(["login", "registration", "recovery", "verification"])(
    "of a program's %s is kept, and a foreign one refused",
    async (kind) => {
      const begin = async (returnTo: string) =>
        (
          await fetch(
            ory(
              `/self-service/${kind}/api?${new URLSearchParams({ return_to: returnTo }).toString()}`,
            ),
          )
        ).json();
      expect(await begin("/health?a=b")).toMatchObject({ return_to: "/health?a=b" });
      expect(await begin(EVIL)).toMatchObject({
        error: { id: "self_service_flow_return_to_forbidden", code: 400 },
      });
    },
  );

  test("of a program's settings is kept, and a foreign one refused", async () => {
    const program = new Walker(server, { isProgram: true });
    await signIn(program);
    const begin = (returnTo: string) =>
      fetch(
        ory(
          `/self-service/settings/api?${new URLSearchParams({ return_to: returnTo }).toString()}`,
        ),
        {
          headers: { "x-session-token": program.token! },
        },
      ).then((reply) => reply.json());
    expect(await begin("/health")).toMatchObject({ return_to: "/health" });
    expect(await begin(EVIL)).toMatchObject({ error: { code: 400 } });
  });

  test("of signing out is part of the address, and a foreign one refused", async () => {
    await signIn(walker);
    const start = (returnTo: string) =>
      server.client.createBrowserLogoutFlow({ cookie: walker.jar.toString(), returnTo });
    const { data } = await start("/health?a=b");
    const address = new URL(data.logout_url);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      token: data.logout_token,
      return_to: "/health?a=b",
    });
    const foreign = await start(EVIL);
    expect([foreign.status, foreign.data]).toMatchObject([
      400,
      { error: { id: "self_service_flow_return_to_forbidden" } },
    ]);
    expect(await walker.visit(address.pathname + address.search)).toBe("303 /health?a=b");
  });
});

describe.each<Kind>(["recovery", "verification"])("an expired form of %s", (kind) => {
  test.each([
    ["browser", false],
    ["program", true],
  ])("leads a %s on to the fresh one", async (_name, isProgram) => {
    const who = new Walker(server, { isProgram });
    const { body: flow } = await who.begin(kind, { return_to: "/health" });
    server.advance(61 * MINUTE);
    const sent = await who.send(kind, flow, { method: "code", code: "123456" });
    const id = successorOf(sent);
    expect([sent.status, sent.headers.location]).toEqual([
      303,
      ory(`/self-service/${kind}/flows?id=${id}`),
    ]);
    const { status, body } = await who.get(kind, id);
    expect([status, body.id, messageIds(body)]).toEqual([
      200,
      id,
      [kind === "recovery" ? 4060005 : 4070005],
    ]);
  });
});

test("a form for a code names its method apart from the button", async () => {
  const hidden = ({ ui }: FlowBody) =>
    ui.nodes
      .filter(({ attributes }) => attributes.type === "hidden" && attributes.name === "method")
      .map(({ group, attributes }) => [group, attributes.value]);
  for (const kind of ["recovery", "verification", "login"] as const) {
    const who = new Walker(server);
    const { body: flow } = await who.begin(kind);
    const asked = { method: "code", email, identifier: email };
    const { body } = await who.send(kind, flow, asked);
    expect([kind, body.state, hidden(body)]).toEqual([kind, "sent_email", [["code", "code"]]]);
  }
});

test("a verification that has passed leads on, as its form says", async () => {
  const { body: flow } = await walker.begin("verification", { return_to: "/health" });
  await walker.send("verification", flow, { method: "code", email });
  const code = codeIn(await mail.take(email));
  const { status, body } = await walker.send("verification", flow, { method: "code", code });
  const goal = `${server.url}/health`;
  expect([status, body.state, body.ui.method, body.ui.action]).toEqual([
    200,
    "passed_challenge",
    "GET",
    goal,
  ]);
  expect(body.ui.nodes.at(-1)).toMatchObject({ group: "code", attributes: { href: goal } });
  expect((await walker.get("verification", flow.id)).body.ui).toMatchObject({ action: goal });
});

test("success tells a browser where to go next", async () => {
  const goesTo = (path: string) => [
    { action: "redirect_browser_to", redirect_browser_to: server.url + path },
  ];
  const signedIn = await signIn(walker, { return_to: "/health" });
  expect(signedIn.body.continue_with).toEqual(goesTo("/health"));
  expect((await signIn(new Walker(server))).body.continue_with).toEqual(goesTo("/"));
  for (const returnTo of ["/health", undefined]) {
    const { body: flow } = await walker.begin("settings", returnTo ? { return_to: returnTo } : {});
    const saved = await walker.send("settings", flow, { method: "profile", traits: { email } });
    expect(saved.body.continue_with).toEqual(
      goesTo(returnTo ?? `/profile-settings?flow=${flow.id}`),
    );
  }
  const newcomer = new Walker(server);
  const address = `new-${email}`;
  const { body: flow } = await newcomer.begin("registration", { return_to: "/health" });
  await newcomer.send("registration", flow, {
    method: "password",
    password: NEW_PASSWORD,
    traits: { email: address },
  });
  const code = codeIn(await mail.take(address));
  const done = await newcomer.send("registration", flow, { method: "code", code });
  expect([done.status, done.body.continue_with]).toEqual([200, goesTo("/health")]);
});

describe("what cannot be read", () => {
  const json = { "content-type": "application/json" };
  const bodies: [string, { body?: string; headers?: Record<string, string> }][] = [
    ["broken JSON", { body: "{", headers: json }],
    ["no JSON", { body: "", headers: json }],
    ["a list", { body: "[1]", headers: json }],
    ["a prototype", { body: '{"__proto__": {}}', headers: json }],
    ["plain text", { body: "abc", headers: { "content-type": "text/plain" } }],
    ["nothing", {}],
  ];
  test.each<Kind>(["login", "registration", "recovery", "verification", "settings"])(
    "is answered with the form of %s again",
    async (kind) => {
      for (const isProgram of [false, true]) {
        const who = new Walker(server, { isProgram });
        if (kind === "settings") await signIn(who);
        const { body: flow } = await who.begin(kind);
        const send = (init: (typeof bodies)[number][1], cookie: string) =>
          fetch(ory(`/self-service/${kind}?flow=${flow.id}`), {
            method: "POST",
            ...init,
            headers: {
              ...init.headers,
              ...(who.token ? { "x-session-token": who.token } : {}),
              ...(isProgram ? {} : { cookie }),
            },
          });
        for (const [what, init] of bodies) {
          const reply = await send(init, who.jar.toString());
          const body = (await reply.json()) as FlowBody;
          expect([what, reply.status, body.id, messageIds(body)]).toEqual([
            what,
            400,
            flow.id,
            [4000001],
          ]);
        }
        // The form is for its own browser, whatever was sent.
        if (!isProgram) expect((await send(bodies[0]![1], "a=b")).status).toBe(403);
      }
    },
  );

  test("is an error of the service's shape everywhere", async () => {
    const { body: flow } = await walker.begin("login");
    const large = await fetch(ory(`/self-service/login?flow=${flow.id}`), {
      method: "POST",
      headers: { "content-type": "application/json", cookie: walker.jar.toString() },
      body: JSON.stringify({ x: "x".repeat(100_000) }),
    });
    expect([large.status, await large.json()]).toMatchObject([
      413,
      { error: { code: 413, status: "Payload Too Large", reason: expect.any(String) } },
    ]);
    const broken = await fetch(ory("/self-service/logout/api"), {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: 400 } }]);
  });
});

test("one's sessions say whose they are, and one that is nobody's ends without a word", async () => {
  const program = new Walker(server, { isProgram: true });
  await signIn(program);
  await signIn(walker);
  const token = program.token!;
  const { data } = await server.client.listMySessions({ xSessionToken: token });
  expect(data).toMatchObject([{ identity: { traits: { email } } }]);
  const ended = await server.client.disableMySession({
    id: crypto.randomUUID(),
    xSessionToken: token,
  });
  expect(ended.status).toBe(204);
  const who = await fetch(ory("/sessions/whoami"), {
    method: "POST",
    headers: { "x-session-token": token },
  });
  expect([who.status, await who.json()]).toMatchObject([200, { identity: { traits: { email } } }]);
});

test("a program's form may come with Sec-Fetch-Site alone, as some runtimes send it", async () => {
  const { data: flow } = await server.client.createNativeLoginFlow({});
  const send = (headers: Record<string, string>) =>
    fetch(ory(`/self-service/login?flow=${flow.id}`), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ method: "password", identifier: email, password: PASSWORD }),
    });
  expect((await send({ origin: server.url, "sec-fetch-site": "same-origin" })).status).toBe(400);
  expect((await send({ "sec-fetch-site": "cross-site" })).status).toBe(200);
});
