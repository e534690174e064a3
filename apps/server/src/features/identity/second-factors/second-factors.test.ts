import { createHash } from "node:crypto";
import type { RecoveryFlow, UpdateRecoveryFlowBody } from "@ory/kratos-client";
import { Script } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRecoveryLink } from "../code/recovery-link.ts";
import {
  CookieJar,
  csrfTokenOf,
  type IdentityServer,
  PASSWORD,
  signInAsProgram,
} from "../testing/identity-server.ts";
import {
  addKey,
  attributesOf,
  changeSettings,
  codeOf,
  createDevice,
  keepBackupCodes,
  linkApp,
  messageIds,
  namesOf,
  openSettings,
  openStepUp,
  ORIGIN,
  requestOptionsOf,
  shownCodes,
  signInAsBrowser,
  signInWithPasskey,
  startFactorServer,
  submitLogin,
  whoami,
} from "../testing/second-factors.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());

let people = 0;
/** Somebody of their own for each test, signed in with the password. */
async function someone() {
  people += 1;
  const email = `person-${people}@example.org`;
  const { id } = await server.createPerson(email);
  return { id, email, jar: await signInAsBrowser(server, email) };
}
/** The same, with an authenticator app linked a while ago. */
async function someoneWithApp() {
  const person = await someone();
  const secret = await linkApp(server, person.jar);
  server.advance(60_000);
  return { ...person, secret };
}

describe("an authenticator app", () => {
  test("is linked, asked for at the next sign-in, and raises the session", async () => {
    const { email, jar, secret } = await someoneWithApp();
    const raised = await whoami(server, jar);
    expect(raised.status).toBe(200);
    expect(raised.data.authenticator_assurance_level).toBe("aal2");

    const next = await signInAsBrowser(server, email);
    const refused = await whoami(server, next);
    expect(refused.status).toBe(403);
    expect(refused.data).toMatchObject({
      error: { id: "session_aal2_required" },
      redirect_browser_to: `${ORIGIN}/api/.ory/self-service/login/browser?aal=aal2`,
    });

    const flow = await openStepUp(server, next);
    expect(flow.requested_aal).toBe("aal2");
    expect(namesOf(flow, "totp")).toEqual(["totp_code", "method"]);
    expect([...new Set(flow.ui.nodes.map(({ group }) => group))]).toEqual(["default", "totp"]);
    const before = next.get("ory_kratos_session");
    const done = await submitLogin(server, next, flow, {
      method: "totp",
      totp_code: codeOf(server, secret),
    });
    expect(done.status).toBe(200);
    expect(next.get("ory_kratos_session")).not.toBe(before);
    const { data: session } = await whoami(server, next);
    expect(session.authenticator_assurance_level).toBe("aal2");
    expect(session.authentication_methods!.map(({ method, aal }) => [method, aal])).toEqual([
      ["password", "aal1"],
      ["totp", "aal2"],
    ]);
  });

  test("is offered with a picture and a secret that differ from form to form", async () => {
    const { jar } = await someone();
    const [one, other] = [await openSettings(server, jar), await openSettings(server, jar)];
    expect(namesOf(one, "totp")).toEqual(["totp_qr", "totp_secret_key", "totp_code", "method"]);
    expect(attributesOf(one, "totp_qr")!.src).toMatch(/^data:image\//);
    expect(attributesOf(one, "totp_secret_key")!.text).toMatchObject({ id: 1050006 });
    expect(attributesOf(one, "totp_secret_key")).not.toEqual(
      attributesOf(other, "totp_secret_key"),
    );
  });

  test("is not linked by a wrong code, and nobody is asked for it then", async () => {
    const { email, jar } = await someone();
    const flow = await openSettings(server, jar);
    const refused = await changeSettings(server, jar, flow, {
      method: "totp",
      totp_code: "000000",
    });
    expect(refused.status).toBe(400);
    expect(messageIds(refused.data)).toEqual([4000008]);
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("signs a program in", async () => {
    const { email, secret } = await someoneWithApp();
    const token = await signInAsProgram(server, email);
    const { client } = server;
    expect((await client.toSession({ xSessionToken: token })).status).toBe(403);
    const { data: flow } = await client.createNativeLoginFlow({
      aal: "aal2",
      xSessionToken: token,
    });
    expect(namesOf(flow, "passkey")).toEqual([]);
    const done = await client.updateLoginFlow({
      flow: flow.id,
      xSessionToken: token,
      updateLoginFlowBody: { method: "totp", totp_code: codeOf(server, secret) },
    });
    expect(done.status).toBe(200);
    const raised = await client.toSession({ xSessionToken: done.data.session_token! });
    expect(raised.data.authenticator_assurance_level).toBe("aal2");
  });

  test("is removed, and is then no longer asked for", async () => {
    const { email, jar } = await someoneWithApp();
    const flow = await openSettings(server, jar);
    expect(namesOf(flow, "totp")).toEqual(["totp_unlink"]);
    const done = await changeSettings(server, jar, flow, { method: "totp", totp_unlink: true });
    expect(done.status).toBe(200);
    expect(messageIds(done.data)).toEqual([1050001]);
    expect(namesOf(done.data, "totp")).toContain("totp_qr");
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
    expect((await whoami(server, jar)).status).toBe(200);
  });

  test("linked in one of two tabs, the other does not take its place", async () => {
    const { email, jar } = await someone();
    const stale = await openSettings(server, jar);
    const secret = await linkApp(server, jar);
    server.advance(60_000);
    const { text: other } = attributesOf(stale, "totp_secret_key")!.text as { text: string };
    const refused = await changeSettings(server, jar, stale, {
      method: "totp",
      totp_code: codeOf(server, other),
    });
    expect(refused.status).toBe(400);
    expect(namesOf(refused.data, "totp")).toEqual(["totp_unlink"]);
    const next = await signInAsBrowser(server, email);
    const done = await submitLogin(server, next, await openStepUp(server, next), {
      method: "totp",
      totp_code: codeOf(server, secret),
    });
    expect(done.status).toBe(200);
  });

  test("keeps its secret encrypted, also in the form that offers it", async () => {
    const { id, jar } = await someone();
    const flow = await openSettings(server, jar);
    const { text: secret } = attributesOf(flow, "totp_secret_key")!.text as { text: string };
    await changeSettings(server, jar, flow, { method: "totp", totp_code: codeOf(server, secret) });
    const stored = await server.db.pool.query<{ all: string }>(
      `select (select jsonb_agg(c)::text from identity_credentials c where identity_id = $1)
           || (select state::text from identity_flows where id = $2) as all`,
      [id, flow.id],
    );
    expect(stored.rows[0]!.all).toContain("m1:");
    expect(stored.rows[0]!.all).not.toContain(secret);
  });
});

describe("the wrong code at the second step", () => {
  test("used already: the same again, and in another session", async () => {
    const { email, secret } = await someoneWithApp();
    const code = codeOf(server, secret);
    const first = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, first);
    expect(
      (await submitLogin(server, first, flow, { method: "totp", totp_code: code })).status,
    ).toBe(200);
    const second = await signInAsBrowser(server, email);
    const again = await openStepUp(server, second);
    const replayed = await submitLogin(server, second, again, { method: "totp", totp_code: code });
    expect(replayed.status).toBe(400);
    expect(messageIds(replayed.data as never)).toContain(4000008);
    expect((await whoami(server, second)).status).toBe(403);
  });

  test("two at once: one of them gets in", async () => {
    const { email, secret } = await someoneWithApp();
    const code = codeOf(server, secret);
    const jars = await Promise.all([
      signInAsBrowser(server, email),
      signInAsBrowser(server, email),
    ]);
    const flows = await Promise.all(jars.map((jar) => openStepUp(server, jar)));
    const answers = await Promise.all(
      jars.map((jar, index) =>
        submitLogin(server, jar, flows[index]!, { method: "totp", totp_code: code }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("an older step than the last one taken", async () => {
    const { email, secret } = await someoneWithApp();
    const steps = [1, 0, -1];
    const outcomes = [];
    for (const step of steps) {
      const jar = await signInAsBrowser(server, email);
      const flow = await openStepUp(server, jar);
      const answer = await submitLogin(server, jar, flow, {
        method: "totp",
        totp_code: codeOf(server, secret, step),
      });
      outcomes.push(answer.status);
    }
    expect(outcomes).toEqual([200, 400, 400]);
  });

  test("from a clock that is too far off", async () => {
    const { email, secret } = await someoneWithApp();
    for (const step of [-2, 2, 10]) {
      const jar = await signInAsBrowser(server, email);
      const flow = await openStepUp(server, jar);
      const answer = await submitLogin(server, jar, flow, {
        method: "totp",
        totp_code: codeOf(server, secret, step),
      });
      expect(answer.status).toBe(400);
    }
  });

  test("of somebody else's app", async () => {
    const { email } = await someoneWithApp();
    const { secret } = await someoneWithApp();
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const answer = await submitLogin(server, jar, flow, {
      method: "totp",
      totp_code: codeOf(server, secret),
    });
    expect(answer.status).toBe(400);
  });

  test("guessed: after five there is a wait, however the flow is begun, and the right code waits too", async () => {
    const { email, secret } = await someoneWithApp();
    const jar = await signInAsBrowser(server, email);
    const statuses = [];
    let last;
    for (let guess = 0; guess < 8; guess += 1) {
      const flow = await openStepUp(server, jar);
      last = await submitLogin(server, jar, flow, {
        method: "totp",
        totp_code: guess === 7 ? codeOf(server, secret) : "123456",
      });
      statuses.push(last.headers["retry-after"] === undefined);
    }
    expect(statuses).toEqual([true, true, true, true, true, false, false, false]);
    expect(last?.status).toBe(400);
    expect((await whoami(server, jar)).status).toBe(403);
  });

  test("nothing at all, and for a person without an app", async () => {
    const { jar } = await someone();
    const flow = await openStepUp(server, jar);
    const none = await submitLogin(server, jar, flow, { method: "totp", totp_code: "123456" });
    expect(none.status).toBe(400);
    expect(messageIds(none.data as never)).toContain(4000011);
    const withApp = await someoneWithApp();
    const next = await signInAsBrowser(server, withApp.email);
    const empty = await submitLogin(server, next, await openStepUp(server, next), {
      method: "totp",
      totp_code: "",
    });
    expect(messageIds(empty.data as never)).toContain(4000002);
  });

  test("nobody is signed in: there is no second step", async () => {
    const { status, data } = await server.client.createBrowserLoginFlow({ aal: "aal2" });
    expect(status).toBe(401);
    expect(data).toMatchObject({ error: { id: "session_aal1_required" } });
  });

  test("somebody else signs in between: the flow is not theirs", async () => {
    const { email, secret } = await someoneWithApp();
    const other = await someone();
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    jar.set("ory_kratos_session", other.jar.get("ory_kratos_session")!);
    const answer = await submitLogin(server, jar, flow, {
      method: "totp",
      totp_code: codeOf(server, secret),
    });
    expect(answer.status).toBe(401);
  });
});

test("without the second step nothing is open: no data, no settings, no writes", async () => {
  const { email } = await someoneWithApp();
  const jar = await signInAsBrowser(server, email);
  const cookie = jar.toString();
  for (const path of ["/api/db/people", "/api/auth/whoami"]) {
    const reply = await fetch(`${server.url}${path}`, { headers: { cookie } });
    expect([path, reply.status]).toEqual([path, 401]);
  }
  const write = await fetch(`${server.url}/api/test/write`, {
    method: "POST",
    headers: { cookie },
  });
  expect(write.status).toBe(401);
  const settings = await server.client.createBrowserSettingsFlow({ cookie });
  expect(settings.status).toBe(403);
  expect(settings.data).toMatchObject({ error: { id: "session_aal2_required" } });
});

test("recovering the password does not get around the second step", async () => {
  const { id, secret } = await someoneWithApp();
  const { link } = await createRecoveryLink(server.ctx, id);
  const jar = new CookieJar();
  const opened = jar.keep(
    await fetch(link.replace(ORIGIN, server.url), { headers: { accept: "application/json" } }),
  );
  const flow = (await opened.json()) as RecoveryFlow;
  const recovered = jar.keep(
    await server.client.updateRecoveryFlow({
      flow: flow.id,
      cookie: jar.toString(),
      updateRecoveryFlowBody: {
        method: "link",
        csrf_token: csrfTokenOf(flow),
      } as UpdateRecoveryFlowBody,
    }),
  );
  expect(recovered.status).toBe(422);
  expect((await whoami(server, jar)).status).toBe(403);
  const refused = await server.client.createBrowserSettingsFlow({ cookie: jar.toString() });
  expect(refused.data).toMatchObject({ error: { id: "session_aal2_required" } });
  const done = await submitLogin(server, jar, await openStepUp(server, jar), {
    method: "totp",
    totp_code: codeOf(server, secret),
  });
  expect(done.status).toBe(200);
  await openSettings(server, jar);
});

describe("backup codes", () => {
  test("are made, confirmed, good for one sign-in each, and shown again with what was used", async () => {
    const { email, jar } = await someone();
    const codes = await keepBackupCodes(server, jar);
    expect(new Set(codes).size).toBe(12);

    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    expect(namesOf(flow, "lookup_secret")).toEqual(["lookup_secret", "method"]);
    const done = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: codes[3]!.toUpperCase(),
    });
    expect(done.status).toBe(200);

    const again = await signInAsBrowser(server, email);
    const replayed = await submitLogin(server, again, await openStepUp(server, again), {
      method: "lookup_secret",
      lookup_secret: codes[3]!,
    });
    expect(replayed.status).toBe(400);
    expect(messageIds(replayed.data as never)).toContain(4000012);

    const settings = await openSettings(server, next);
    expect(namesOf(settings, "lookup_secret")).toEqual([
      "lookup_secret_reveal",
      "lookup_secret_disable",
    ]);
    const revealed = await changeSettings(server, next, settings, {
      method: "lookup_secret",
      lookup_secret_reveal: true,
    });
    expect(revealed.status).toBe(200);
    const shown = shownCodes(revealed.data);
    expect(shown.map(({ id }) => id)).toEqual(
      codes.map((_, index) => (index === 3 ? 1050014 : 1050009)),
    );
    expect(shown[4]!.text).toBe(codes[4]);
    expect(attributesOf(revealed.data, "lookup_secret_codes")!.text).toMatchObject({ id: 1050015 });
  });

  test("count only once they are confirmed", async () => {
    const { email, jar } = await someone();
    const flow = await openSettings(server, jar);
    await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_regenerate: true,
    });
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("new ones end the old ones", async () => {
    const { email, jar } = await someone();
    const old = await keepBackupCodes(server, jar);
    const fresh = await keepBackupCodes2(jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    const refused = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: old[0]!,
    });
    expect(refused.status).toBe(400);
    expect(messageIds(refused.data as never)).toContain(4000016);
    const done = await submitLogin(server, next, flow, {
      method: "lookup_secret",
      lookup_secret: fresh[0]!,
    });
    expect(done.status).toBe(200);
  });

  /** Of somebody who has some already: they are revealed first. */
  async function keepBackupCodes2(jar: CookieJar): Promise<string[]> {
    const flow = await openSettings(server, jar);
    const body = { method: "lookup_secret" as const };
    await changeSettings(server, jar, flow, { ...body, lookup_secret_reveal: true });
    const made = await changeSettings(server, jar, flow, {
      ...body,
      lookup_secret_regenerate: true,
    });
    expect(namesOf(made.data, "lookup_secret")).toEqual([
      "lookup_secret_codes",
      "lookup_secret_regenerate",
      "lookup_secret_confirm",
    ]);
    await changeSettings(server, jar, flow, { ...body, lookup_secret_confirm: true });
    return shownCodes(made.data).map(({ text }) => text);
  }

  test("the last one used up is no lock: nobody is asked for what they no longer have", async () => {
    const { email, jar } = await someone();
    const codes = await keepBackupCodes(server, jar);
    for (const code of codes) {
      const next = await signInAsBrowser(server, email);
      const done = await submitLogin(server, next, await openStepUp(server, next), {
        method: "lookup_secret",
        lookup_secret: code,
      });
      expect(done.status).toBe(200);
    }
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("are the way back in for who has lost the app, who may then remove it", async () => {
    const { email, jar } = await someoneWithApp();
    const codes = await keepBackupCodes(server, jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    expect(namesOf(flow, "totp")).toContain("totp_code");
    await submitLogin(server, next, flow, { method: "lookup_secret", lookup_secret: codes[0]! });
    const settings = await openSettings(server, next);
    const done = await changeSettings(server, next, settings, {
      method: "totp",
      totp_unlink: true,
    });
    expect(done.status).toBe(200);
  });

  test("are hashed and encrypted where they are kept, and gone when they are removed", async () => {
    const { id, email, jar } = await someone();
    const codes = await keepBackupCodes(server, jar);
    const read = async () =>
      (
        await server.db.pool.query<{ config: string }>(
          "select config::text from identity_credentials where identity_id = $1 and type = 'lookup_secret'",
          [id],
        )
      ).rows[0]?.config;
    const stored = (await read())!;
    for (const code of codes) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replace("-", ""));
    }
    const flow = await openSettings(server, jar);
    await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_disable: true,
    });
    expect(await read()).toBeUndefined();
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });

  test("guesses are counted", async () => {
    const { email, jar } = await someone();
    await keepBackupCodes(server, jar);
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    const waits = [];
    for (let guess = 0; guess < 7; guess += 1) {
      const { headers } = await submitLogin(server, next, flow, {
        method: "lookup_secret",
        lookup_secret: "aaaaa-bbbbb",
      });
      waits.push(headers["retry-after"] !== undefined);
    }
    expect(waits).toEqual([false, false, false, false, false, true, true]);
  });
});

describe("a session that is not young", () => {
  test.each([
    ["totp_unlink", { method: "totp", totp_unlink: true }],
    ["totp_code", { method: "totp", totp_code: "123456" }],
    ["lookup_secret_reveal", { method: "lookup_secret", lookup_secret_reveal: true }],
    ["lookup_secret_regenerate", { method: "lookup_secret", lookup_secret_regenerate: true }],
    ["lookup_secret_disable", { method: "lookup_secret", lookup_secret_disable: true }],
    ["webauthn_remove", { method: "webauthn", webauthn_remove: "x" }],
    ["webauthn_register", { method: "webauthn", webauthn_register: "{}" }],
    ["passkey_remove", { method: "passkey", passkey_remove: "x" }],
    ["passkey_settings_register", { method: "passkey", passkey_settings_register: "{}" }],
  ] as const)("has to be confirmed before %s", async (_, body) => {
    const { jar } = await someone();
    server.advance(60 * 60_000);
    const flow = await openSettings(server, jar);
    const refused = await changeSettings(server, jar, flow, body);
    expect(refused.status).toBe(403);
    expect(refused.data).toMatchObject({
      error: { id: "session_refresh_required" },
      redirect_browser_to: expect.stringContaining("refresh=true"),
    });
  });

  test("no longer sees the codes that were revealed in time", async () => {
    const { jar } = await someone();
    await keepBackupCodes(server, jar);
    const flow = await openSettings(server, jar);
    const revealed = await changeSettings(server, jar, flow, {
      method: "lookup_secret",
      lookup_secret_reveal: true,
    });
    expect(namesOf(revealed.data, "lookup_secret")).toContain("lookup_secret_codes");
    server.advance(30 * 60_000);
    const later = await server.client.getSettingsFlow({ id: flow.id, cookie: jar.toString() });
    expect(later.status).toBe(200);
    expect(namesOf(later.data, "lookup_secret")).toEqual([
      "lookup_secret_reveal",
      "lookup_secret_disable",
    ]);
  });
});

describe.each(["ES256", "EdDSA"] as const)("a security key with %s", (algorithm) => {
  test("is added with a name, asked for, and removed", async () => {
    const { email, jar } = await someone();
    const device = createDevice(algorithm);
    const added = await addKey(server, jar, { device, kind: "webauthn", name: "Blue key" });
    expect(added.status).toBe(200);
    const remove = added.data.ui.nodes.find(
      (node) => (node.attributes as { name?: string }).name === "webauthn_remove",
    )!;
    expect(remove.meta.label).toMatchObject({
      id: 1050018,
      context: { display_name: "Blue key" },
    });
    expect((await whoami(server, jar)).data.authenticator_assurance_level).toBe("aal2");

    const next = await signInAsBrowser(server, email);
    expect((await whoami(server, next)).status).toBe(403);
    const flow = await openStepUp(server, next);
    expect(namesOf(flow, "webauthn")).toEqual([
      "webauthn_script",
      "identifier",
      "webauthn_login",
      "webauthn_login_trigger",
    ]);
    const options = requestOptionsOf(flow, "webauthn");
    expect(options).toMatchObject({ rpId: "localhost", allowCredentials: [{ id: device.id }] });
    const done = await submitLogin(server, next, flow, {
      method: "webauthn",
      identifier: email,
      webauthn_login: device.get(options),
    });
    expect(done.status).toBe(200);
    expect((await whoami(server, next)).data.authenticator_assurance_level).toBe("aal2");

    const settings = await openSettings(server, next);
    const removed = await changeSettings(server, next, settings, {
      method: "webauthn",
      webauthn_remove: attributesOf(settings, "webauthn_remove")!.value as string,
    });
    expect(removed.status).toBe(200);
    expect(namesOf(removed.data, "webauthn")).not.toContain("webauthn_remove");
    expect((await whoami(server, await signInAsBrowser(server, email))).status).toBe(200);
  });
});

test("of several security keys each signs in, and removing one keeps asking for the others", async () => {
  const { email, jar } = await someone();
  const devices = [createDevice(), createDevice("EdDSA")];
  for (const device of devices) await addKey(server, jar, { device, kind: "webauthn" });
  const settings = await openSettings(server, jar);
  const labels = settings.ui.nodes.flatMap((node) =>
    (node.attributes as { name?: string }).name === "webauthn_remove"
      ? [node.meta.label!.text]
      : [],
  );
  expect(labels).toEqual([
    'Remove security key "Security key"',
    'Remove security key "Security key 2"',
  ]);
  for (const device of devices) {
    const next = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, next);
    const answer = device.get(requestOptionsOf(flow, "webauthn"));
    const done = await submitLogin(server, next, flow, {
      method: "webauthn",
      identifier: email,
      webauthn_login: answer,
    });
    expect(done.status).toBe(200);
  }
  await changeSettings(server, jar, settings, {
    method: "webauthn",
    webauthn_remove: attributesOf(settings, "webauthn_remove")!.value as string,
  });
  const next = await signInAsBrowser(server, email);
  const flow = await openStepUp(server, next);
  expect(requestOptionsOf(flow, "webauthn").allowCredentials).toEqual([
    expect.objectContaining({ id: devices[1]!.id }),
  ]);
});

describe.each(["ES256", "EdDSA"] as const)("a passkey with %s", (algorithm) => {
  test("signs in without address and password", async () => {
    const { id, jar } = await someone();
    const device = createDevice(algorithm);
    expect((await addKey(server, jar, { device, kind: "passkey" })).status).toBe(200);
    const { jar: other, flow, answer } = await signInWithPasskey(server, device);
    expect(answer.status).toBe(200);
    expect(namesOf(flow, "passkey")).toEqual([
      "passkey_challenge",
      "webauthn_script",
      "passkey_login",
      "passkey_login_trigger",
    ]);
    expect(attributesOf(flow, "identifier")!.autocomplete).toBe("username webauthn");
    expect(attributesOf(flow, "passkey_login")!.onloadTrigger).toBe(
      "oryPasskeyLoginAutocompleteInit",
    );
    const { data: session } = await whoami(server, other);
    expect(session.identity!.id).toBe(id);
    expect(session.authenticator_assurance_level).toBe("aal1");
    expect(session.authentication_methods!.map(({ method }) => method)).toEqual(["passkey"]);
  });
});

test("a passkey confirms who one is, with the passkeys of that person only", async () => {
  const { jar } = await someone();
  const device = createDevice();
  await addKey(server, jar, { device, kind: "passkey" });
  server.advance(60 * 60_000);
  const { data: flow } = jar.keep(
    await server.client.createBrowserLoginFlow({ refresh: true, cookie: jar.toString() }),
  );
  const options = requestOptionsOf(flow, "passkey");
  expect(options.allowCredentials).toEqual([expect.objectContaining({ id: device.id })]);
  const done = await submitLogin(server, jar, flow, {
    method: "passkey",
    passkey_login: device.get(options),
  });
  expect(done.status).toBe(200);
  const settings = await openSettings(server, jar);
  const changed = await changeSettings(server, jar, settings, {
    method: "lookup_secret",
    lookup_secret_regenerate: true,
  });
  expect(changed.status).toBe(200);
});

test("a passkey does not confirm in somebody else's place", async () => {
  const mallory = createDevice();
  await addKey(server, (await someone()).jar, { device: mallory, kind: "passkey" });
  const { jar } = await someone();
  await addKey(server, jar, { device: createDevice(), kind: "passkey" });
  const { data: flow } = jar.keep(
    await server.client.createBrowserLoginFlow({ refresh: true, cookie: jar.toString() }),
  );
  const answer = await submitLogin(server, jar, flow, {
    method: "passkey",
    passkey_login: mallory.get(requestOptionsOf(flow, "passkey")),
  });
  expect(answer.status).toBe(403);
  expect(answer.data).toMatchObject({ error: { id: "security_identity_mismatch" } });
});

test("a passkey is asked for the second step as a password is", async () => {
  const { jar } = await someoneWithApp();
  const device = createDevice();
  await addKey(server, jar, { device, kind: "passkey" });
  const { jar: other, answer } = await signInWithPasskey(server, device);
  expect(answer.status).toBe(200);
  expect((await whoami(server, other)).status).toBe(403);
});

test("the password still signs in beside the passkey", async () => {
  const { email, jar } = await someone();
  await addKey(server, jar, { device: createDevice(), kind: "passkey" });
  const { data: flow } = await server.client.createNativeLoginFlow({});
  const done = await server.client.updateLoginFlow({
    flow: flow.id,
    updateLoginFlowBody: { method: "password", identifier: email, password: PASSWORD },
  });
  expect(done.status).toBe(200);
});

test("the last passkey of an account without a password stays", async () => {
  const { id, jar } = await someone();
  await addKey(server, jar, { device: createDevice(), kind: "passkey" });
  await addKey(server, jar, { device: createDevice(), kind: "passkey" });
  await server.db.pool.query(
    "delete from identity_credentials where identity_id = $1 and type = 'password'",
    [id],
  );
  const remove = async () => {
    const flow = await openSettings(server, jar);
    return await changeSettings(server, jar, flow, {
      method: "passkey",
      passkey_remove: attributesOf(flow, "passkey_remove")!.value as string,
    });
  };
  expect((await remove()).status).toBe(200);
  expect((await remove()).status).toBe(400);
});

test("what was added and removed is in the audit log, by whom and without secrets", async () => {
  const { id, jar } = await someone();
  await addKey(server, jar, { device: createDevice(), kind: "webauthn", name: "Blue key" });
  await linkApp(server, jar);
  const settings = await openSettings(server, jar);
  await changeSettings(server, jar, settings, { method: "totp", totp_unlink: true });
  const { rows } = await server.db.pool.query<Record<string, string>>(
    `select verb, table_name, row_id, actor_id, coalesce(after, before) as what from audit_log
      where row_id = $1 and table_name like 'identity_%' order by id`,
    [id],
  );
  expect(rows).toEqual(
    [
      {
        verb: "insert",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "webauthn" },
      },
      {
        verb: "insert",
        table_name: "identity_keys",
        what: expect.objectContaining({ name: "Blue key", kind: "webauthn", rp_id: "localhost" }),
      },
      {
        verb: "insert",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "totp" },
      },
      {
        verb: "delete",
        table_name: "identity_credentials",
        what: { identity_id: id, type: "totp" },
      },
    ].map((row) => ({ ...row, row_id: id, actor_id: id })),
  );
  expect(JSON.stringify(rows)).not.toMatch(/public_key|credential_id|secret/);
});

describe("an administrator takes the second factors from who has lost them", () => {
  beforeAll(() => server.createPerson("admin@example.org", "admin"));
  const reset = (jar: CookieJar, id: string) =>
    fetch(`${server.url}/api/people/${id}/reset-second-factor`, {
      method: "POST",
      headers: { cookie: jar.toString(), origin: ORIGIN },
    });

  test("all of them; sessions end, the password signs in, and it is written down", async () => {
    const admin = await signInAsBrowser(server, "admin@example.org");
    const { id, email, jar } = await someoneWithApp();
    await keepBackupCodes(server, jar);
    await addKey(server, jar, { device: createDevice(), kind: "webauthn" });
    const passkey = createDevice();
    await addKey(server, jar, { device: passkey, kind: "passkey" });
    const reply = await reset(admin, id);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ id, removed: ["lookup_secret", "totp", "webauthn"] });
    expect((await whoami(server, jar)).status).toBe(401);
    const next = await signInAsBrowser(server, email);
    expect((await whoami(server, next)).data.authenticator_assurance_level).toBe("aal1");
    expect((await signInWithPasskey(server, passkey)).answer.status).toBe(200);
    const { rows } = await server.db.pool.query<{ type: string; actor_name: string }>(
      `select before ->> 'type' as type, actor_name from audit_log
        where row_id = $1 and verb = 'delete' and table_name = 'identity_credentials' order by 1`,
      [id],
    );
    expect(rows.map(({ type }) => type)).toEqual(["lookup_secret", "totp", "webauthn"]);
    expect(await (await reset(admin, id)).json()).toEqual({ id, removed: [] });
  });

  test("nobody else may, and nobody unknown can be chosen", async () => {
    const { id, jar } = await someone();
    const editor = `editor-${id}@example.org`;
    await server.createPerson(editor, "editor");
    expect((await reset(jar, id)).status).toBe(403);
    expect((await reset(await signInAsBrowser(server, editor), id)).status).toBe(403);
    expect((await reset(new CookieJar(), id)).status).toBe(401);
    const admin = await signInAsBrowser(server, "admin@example.org");
    expect((await reset(admin, "01890a5d-ac96-774b-bcce-b302099a8057")).status).toBe(404);
  });
});

test("screens that know nothing of WebAuthn get a script, as the flow describes it", async () => {
  const { data: flow } = await server.client.createBrowserLoginFlow();
  const { src, integrity } = attributesOf(flow, "webauthn_script") as {
    src: string;
    integrity: string;
  };
  expect(src).toBe(`${ORIGIN}/api/.ory/.well-known/ory/webauthn.js`);
  const { data, headers } = await server.client.getWebAuthnJavaScript();
  expect(headers["content-type"]).toMatch(/^text\/javascript/);
  expect(integrity).toBe(`sha512-${createHash("sha512").update(data).digest("base64")}`);
  // It is a script that parses; what it does is tried in a browser.
  expect(() => new Script(data)).not.toThrow();
});

test("at an address of numbers there is no WebAuthn, and the other methods work", async () => {
  const plain = await startFactorServer({ publicUrl: undefined });
  try {
    await plain.createPerson("ada@example.org");
    const { data: login } = await plain.client.createBrowserLoginFlow();
    expect(namesOf(login, "passkey")).toEqual([]);
    expect(attributesOf(login, "identifier")!.autocomplete).toBe("email");
    const jar = await signInAsBrowser(plain, "ada@example.org");
    const settings = await openSettings(plain, jar);
    expect(namesOf(settings, "webauthn")).toEqual([]);
    expect(namesOf(settings, "passkey")).toEqual([]);
    await linkApp(plain, jar);
    expect((await whoami(plain, jar)).data.authenticator_assurance_level).toBe("aal2");
  } finally {
    await plain.stop();
  }
});
