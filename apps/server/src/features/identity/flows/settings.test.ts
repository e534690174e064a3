import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFirstAdministrator } from "../create-first-administrator.ts";
import { fieldIds, fieldsOf, type FlowBody, messageIds, Walker } from "../testing/flows.ts";
import {
  type IdentityServer,
  PASSWORD,
  signInAsBrowser,
  startIdentityServer,
} from "../testing/identity-server.ts";
import { codeIn, linkIn, type MailServer, startMailServer } from "../testing/mail-server.ts";

let mail: MailServer;
let server: IdentityServer;
let email: string;
let walker: Walker;
let made = 0;
beforeAll(async () => {
  mail = await startMailServer();
  server = await startIdentityServer({ smtpUrl: mail.url });
});
afterAll(async () => {
  await server.stop();
  await mail.stop();
});
beforeEach(async () => {
  email = `ada-${++made}@example.org`;
  await server.createPerson(email);
  walker = new Walker(server, { jar: await signInAsBrowser(server, email) });
});

const profile = (changes: Record<string, unknown> = {}) => ({
  method: "profile",
  traits: { email, name: { first: "Ada", last: "King" }, ...changes },
});

test("nobody, and who is signed in", async () => {
  const nobody = await new Walker(server).begin("settings");
  expect([nobody.status, nobody.body]).toMatchObject([401, { error: { id: "session_inactive" } }]);
  const { status, body } = await walker.begin("settings", { return_to: "/health" });
  expect([status, body.state, body.return_to]).toEqual([200, "show_form", "/health"]);
  expect(body.identity).toMatchObject({ traits: { email } });
  expect(fieldsOf(body).slice(0, 7)).toEqual([
    "default:csrf_token",
    "profile:traits.email",
    "profile:traits.name.first",
    "profile:traits.name.last",
    "profile:method",
    "password:password",
    "password:method",
  ]);
  expect((await walker.get("settings", body.id)).body).toEqual(body);
  expect(await new Walker(server).visit("/api/.ory/self-service/settings/browser")).toBe(
    "303 /login?return_to=%2Fprofile-settings",
  );
});

test.each([
  ["a browser", false],
  ["a program", true],
])("%s changes the name; the person goes by it", async (_name, isProgram) => {
  if (isProgram) {
    walker = new Walker(server, { isProgram });
    const { body: login } = await walker.begin("login");
    await walker.send("login", login, {
      method: "password",
      identifier: email,
      password: PASSWORD,
    });
  }
  const { body: flow } = await walker.begin("settings");
  const saved = await walker.send("settings", flow, profile());
  expect([saved.status, saved.body.state, messageIds(saved.body)]).toEqual([
    200,
    "success",
    [1050001],
  ]);
  expect(saved.body.identity).toMatchObject({ traits: { name: { first: "Ada", last: "King" } } });
  expect((await walker.whoami()).body).toMatchObject({
    identity: { traits: { name: { last: "King" } } },
  });
  const { rows } = await server.db.raw("select name from people where email = $1", [email]);
  expect(rows).toEqual([{ name: "Ada King" }]);
});

test.each<[string, object, object]>([
  ["an empty last name", { name: { first: "Ada", last: "" } }, { first: "Ada", last: "" }],
  ["no last name", { name: { first: "Ada" } }, { first: "Ada" }],
  ["no name", {}, {}],
])("a profile with %s is saved as it was sent", async (_name, given, stored) => {
  const { body: flow } = await walker.begin("settings");
  const fields = { method: "profile", traits: { email, ...given } };
  const { status, body } = await walker.send("settings", flow, fields);
  expect([status, messageIds(body)]).toEqual([200, [1050001]]);
  const name = Object.keys(stored).length > 0 ? { name: stored } : {};
  expect(body.identity!.traits).toEqual({ email, ...name });
});

test("the administrator of the first start saves their profile as it is", async () => {
  const own = await startIdentityServer();
  try {
    const { email: address } = await createFirstAdministrator(own.ctx, {
      ...own.ctx.config,
      adminPassword: PASSWORD,
    });
    const admin = new Walker(own, { jar: await signInAsBrowser(own, address) });
    const { body: flow } = await admin.begin("settings");
    const shown = Object.fromEntries(
      flow.ui.nodes
        .filter(({ group }) => group === "profile")
        .map(({ attributes: { name, value } }) => [name, value]),
    );
    const saved = await admin.send("settings", flow, shown);
    expect([saved.status, messageIds(saved.body)]).toEqual([200, [1050001]]);
  } finally {
    await own.stop();
  }
});

test("a form without script saves and shows what it saved", async () => {
  const { body: flow } = await walker.begin("settings");
  const reply = await fetch(`${server.url}/api/.ory/self-service/settings?flow=${flow.id}`, {
    method: "POST",
    redirect: "manual",
    headers: { accept: "text/html", cookie: walker.jar.toString(), origin: server.url },
    body: new URLSearchParams({
      csrf_token: flow.ui.nodes[0]!.attributes.value as string,
      method: "profile",
      "traits.email": email,
      "traits.name.first": "Ada",
      "traits.name.last": "Byron",
    }),
  });
  expect([reply.status, reply.headers.get("location")]).toEqual([
    303,
    `/profile-settings?flow=${flow.id}`,
  ]);
  const { body } = await walker.get("settings", flow.id);
  expect([body.state, messageIds(body)]).toEqual(["success", [1050001]]);
});

describe("another address", () => {
  test("has to be verified, and the old one is told", async () => {
    const { body: flow } = await walker.begin("settings");
    const address = `new-${email}`;
    const saved = await walker.send("settings", flow, profile({ email: address }));
    expect(saved.status).toBe(200);
    const [next] = saved.body.continue_with!;
    expect(next).toMatchObject({
      action: "show_verification_ui",
      flow: { verifiable_address: address },
    });
    expect((await mail.take(email, ({ subject }) => subject.includes("address"))).text).toContain(
      address,
    );
    expect((await walker.whoami()).body).toMatchObject({
      identity: { verifiable_addresses: [{ value: address, verified: false }] },
    });
    const { body: verification } = await walker.get("verification", next!.flow!.id);
    expect(fieldsOf(verification)).toEqual([
      "default:csrf_token",
      "code:method",
      "code:code",
      "code:method",
      "code:email",
    ]);
    const received = await mail.take(address);
    const done = await walker.send("verification", verification, {
      method: "code",
      code: codeIn(received),
    });
    expect([done.status, done.body.state, messageIds(done.body)]).toEqual([
      200,
      "passed_challenge",
      [1080002],
    ]);
    expect(done.body.ui.nodes.at(-1)).toMatchObject({
      type: "a",
      attributes: { href: `${server.url}/` },
    });
    expect((await walker.whoami()).body).toMatchObject({
      identity: { verifiable_addresses: [{ verified: true, verified_at: expect.any(String) }] },
    });
    // The link of the same mail is used up with the code.
    const late = await walker.visit(linkIn(received));
    expect(messageIds((await walker.get("verification", late.slice(-36))).body)).toEqual([4070001]);
  });

  test("that is somebody else's is refused", async () => {
    await server.createPerson(`taken-${made}@example.org`);
    const { body: flow } = await walker.begin("settings");
    const { status, body } = await walker.send(
      "settings",
      flow,
      profile({ email: `TAKEN-${made}@example.org` }),
    );
    expect([status, fieldIds(body, "traits.email")]).toEqual([400, [4000007]]);
    expect((await walker.get("settings", flow.id)).body.ui).toEqual(body.ui);
  });

  test("taken by somebody else in the same moment is refused too", async () => {
    const others = await Promise.all(
      Array.from({ length: 3 }, async (_value, index) => {
        const address = `race-${made}-${index}@example.org`;
        await server.createPerson(address);
        const other = new Walker(server, { jar: await signInAsBrowser(server, address) });
        return { other, flow: (await other.begin("settings")).body };
      }),
    );
    const wanted = `wanted-${made}@example.org`;
    const statuses = await Promise.all(
      others.map(
        async ({ other, flow }) =>
          (await other.send("settings", flow, profile({ email: wanted }))).status,
      ),
    );
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, 400, 400]);
  });
});

describe("a session that is not young", () => {
  test("confirms who it is for password and address, not for a name, and comes back", async () => {
    server.advance(16 * 60_000);
    const { body: flow } = await walker.begin("settings");
    for (const fields of [
      { method: "password", password: "another good password" },
      profile({ email: `x-${email}` }),
    ]) {
      const { status, body } = await walker.send("settings", flow, fields);
      expect([status, body]).toMatchObject([
        403,
        {
          error: { id: "session_refresh_required" },
          redirect_browser_to: `${server.url}/api/.ory/self-service/login/browser?refresh=true&return_to=${encodeURIComponent(`/api/.ory/self-service/settings?flow=${flow.id}`)}`,
        },
      ]);
    }
    expect((await walker.send("settings", flow, profile())).status).toBe(200);
    const { body: login } = await walker.begin("login", { refresh: "true" });
    const confirmed = await walker.send("login", login, {
      method: "password",
      identifier: email,
      password: PASSWORD,
    });
    expect(confirmed.status).toBe(200);
    const saved = await walker.send("settings", flow, {
      method: "password",
      password: "another good password",
    });
    expect(saved.status).toBe(200);
  });
});

describe("what is not let in", () => {
  test("somebody else's flow, though they share the browser", async () => {
    const { body: flow } = await walker.begin("settings");
    const address = `thief-${made}@example.org`;
    await server.createPerson(address);
    walker.jar.set("ory_kratos_session", "");
    await signInAsBrowser(server, address, walker.jar);
    for (const answer of [
      await walker.get("settings", flow.id),
      await walker.send("settings", flow, profile()),
    ])
      expect([answer.status, answer.body]).toMatchObject([
        403,
        { error: { id: "security_identity_mismatch" } },
      ]);
  });

  test("nobody, another browser, another site", async () => {
    const { body: flow } = await walker.begin("settings");
    const cookie = walker.jar.toString();
    walker.jar.set("ory_kratos_session", "x".repeat(43));
    const signedOut = await walker.send("settings", flow, profile());
    expect([signedOut.status, signedOut.body]).toMatchObject([
      401,
      { error: { id: "session_inactive" } },
    ]);
    const reply = await fetch(`${server.url}/api/.ory/self-service/settings?flow=${flow.id}`, {
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        cookie,
        origin: "https://evil.example",
      },
      body: JSON.stringify({
        ...profile(),
        csrf_token: flow.ui.nodes[0]!.attributes.value,
      }),
    });
    expect([reply.status, await reply.json()]).toMatchObject([
      403,
      { error: { id: "security_csrf_violation" } },
    ]);
  });

  test.each<[string, Record<string, unknown>, string, number]>([
    [
      "a password like the address",
      { method: "password", password: "ada-lovelace" },
      "password",
      4000031,
    ],
    ["a common one", { method: "password", password: "qwertyuiop" }, "password", 4000034],
    ["none", { method: "password" }, "password", 4000002],
    ["a list", { method: "password", password: ["a", "b"] }, "password", 4000002],
    [
      "no address",
      { method: "profile", traits: { name: { first: "Ada" } } },
      "traits.email",
      4000002,
    ],
  ])("%s", async (_name, fields, field, id) => {
    const { body: flow } = await walker.begin("settings");
    const { status, body } = await walker.send("settings", flow, fields);
    expect([status, fieldIds(body, field)]).toEqual([400, [id]]);
  });

  test("a method that is not there", async () => {
    const { body: flow } = await walker.begin("settings");
    for (const method of ["code", "nothing", "__proto__", "", 7]) {
      const { status, body } = await walker.send("settings", flow, { method });
      expect([status, messageIds(body)]).toEqual([400, [4010004]]);
    }
  });

  test("an expired flow is replaced by a fresh one that works", async () => {
    const { body: flow } = await walker.begin("settings", { return_to: "/health" });
    server.advance(61 * 60_000);
    const seen = await walker.get("settings", flow.id);
    expect([seen.status, seen.body]).toMatchObject([
      410,
      { error: { id: "self_service_flow_expired" } },
    ]);
    const sent = await walker.send("settings", flow, profile());
    expect(sent.status).toBe(410);
    const fresh = await walker.get(
      "settings",
      (sent.body as unknown as { use_flow_id: string }).use_flow_id,
    );
    expect([fresh.status, fresh.body.state, fresh.body.return_to, messageIds(fresh.body)]).toEqual([
      200,
      "show_form",
      "/health",
      [4050001],
    ]);
    expect((await walker.send("settings", fresh.body, profile())).status).toBe(200);
  });
});

test("two tabs in two flows save after one another", async () => {
  const flows: FlowBody[] = [];
  for (let tab = 0; tab < 2; tab += 1) flows.push((await walker.begin("settings")).body);
  for (const flow of flows)
    expect((await walker.send("settings", flow, profile())).status).toBe(200);
});
