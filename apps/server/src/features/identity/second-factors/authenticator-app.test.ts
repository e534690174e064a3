import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityServer, signInAsProgram } from "../testing/identity-server.ts";
import {
  attributesOf,
  changeSettings,
  codeOf,
  keepBackupCodes,
  linkApp,
  messageIds,
  namesOf,
  openSettings,
  openStepUp,
  ORIGIN,
  signInAsBrowser,
  someone,
  someoneWithApp,
  startFactorServer,
  submitLogin,
  whoami,
} from "../testing/second-factors.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());

describe("an authenticator app", () => {
  test("is linked, asked for at the next sign-in, and raises the session", async () => {
    const { email, jar, secret } = await someoneWithApp(server);
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
    const { jar } = await someone(server);
    const [one, other] = [await openSettings(server, jar), await openSettings(server, jar)];
    expect(namesOf(one, "totp")).toEqual(["totp_qr", "totp_secret_key", "totp_code", "method"]);
    expect(attributesOf(one, "totp_qr")!.src).toMatch(/^data:image\//);
    expect(attributesOf(one, "totp_secret_key")!.text).toMatchObject({ id: 1050006 });
    expect(attributesOf(one, "totp_secret_key")).not.toEqual(
      attributesOf(other, "totp_secret_key"),
    );
  });

  test("is not linked by a wrong code, and nobody is asked for it then", async () => {
    const { email, jar } = await someone(server);
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
    const { email, secret } = await someoneWithApp(server);
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
    const { email, jar } = await someoneWithApp(server);
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
    const { email, jar } = await someone(server);
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
    const { id, jar } = await someone(server);
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
    const { email, secret } = await someoneWithApp(server);
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
    const { email, secret } = await someoneWithApp(server);
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
    const { email, secret } = await someoneWithApp(server);
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
    const { email, secret } = await someoneWithApp(server);
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
    const { email } = await someoneWithApp(server);
    const { secret } = await someoneWithApp(server);
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const answer = await submitLogin(server, jar, flow, {
      method: "totp",
      totp_code: codeOf(server, secret),
    });
    expect(answer.status).toBe(400);
  });

  test("guessed: after five there is a wait, however the flow is begun, and the right code waits too", async () => {
    const { email, secret } = await someoneWithApp(server);
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
    const { email, jar: young } = await someone(server);
    await keepBackupCodes(server, young);
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const none = await submitLogin(server, jar, flow, { method: "totp", totp_code: "123456" });
    expect(none.status).toBe(400);
    expect(messageIds(none.data as never)).toContain(4000011);
    const withApp = await someoneWithApp(server);
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
    const { email, secret } = await someoneWithApp(server);
    const other = await someone(server);
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
