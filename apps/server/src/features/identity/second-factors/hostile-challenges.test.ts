import type { LoginFlow } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CookieJar, csrfTokenOf, type IdentityServer } from "../testing/identity-server.ts";
import {
  changeSettings,
  createDevice,
  namesOf,
  openLogin,
  openSettings,
  registrationOptionsOf,
  requestOptionsOf,
  sendPasskey,
  someone,
  someoneWithKey,
  startFactorServer,
} from "../testing/second-factors.ts";

/** What attackers send who have somebody's password, a page in between, a stolen answer, or a copy of a key. */

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());

describe("an answer is good once", () => {
  test("not again in its flow, not in another", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const { jar, flow } = await openLogin(server);
    const answer = device.get(requestOptionsOf(flow, "passkey"));
    expect((await sendPasskey(server, jar, flow, answer)).status).toBe(200);
    const thief = new CookieJar();
    thief.set("csrf_token_mainstay", jar.get("csrf_token_mainstay")!);
    // A thief with the browser's cookie but no session: the flow has ended.
    expect((await sendPasskey(server, thief, flow, answer)).status).toBe(410);
    const other = await openLogin(server);
    expect((await sendPasskey(server, other.jar, other.flow, answer)).status).toBe(400);
  });

  test("a refused one does not become good later: each try has a challenge of its own", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const { jar, flow } = await openLogin(server);
    const first = requestOptionsOf(flow, "passkey");
    const refused = await sendPasskey(
      server,
      jar,
      flow,
      device.get(first, { origin: "https://evil.example" }),
    );
    const second = requestOptionsOf(refused.data as unknown as LoginFlow, "passkey");
    expect(second.challenge).not.toBe(first.challenge);
    expect((await sendPasskey(server, jar, flow, device.get(first))).status).toBe(400);
    const { data: again } = await server.client.getLoginFlow({
      id: flow.id,
      cookie: jar.toString(),
    });
    expect(
      (await sendPasskey(server, jar, flow, device.get(requestOptionsOf(again, "passkey")))).status,
    ).toBe(200);
  });

  test("sent five times at once it makes one session", async () => {
    const { id, device } = await someoneWithKey(server, "passkey");
    const { jar, flow } = await openLogin(server);
    const answer = device.get(requestOptionsOf(flow, "passkey"));
    const cookie = jar.toString();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        server.client.updateLoginFlow({
          flow: flow.id,
          cookie,
          updateLoginFlowBody: {
            method: "passkey",
            passkey_login: answer,
            csrf_token: csrfTokenOf(flow),
          },
        }),
      ),
    );
    // The others find the flow ended, or the counter at work: it depends on who comes when.
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400 || status === 410)).toHaveLength(4);
    const { rows } = await server.db.pool.query(
      'select from identity_sessions where identity_id = $1 and authentication_methods @> \'[{"method": "passkey"}]\'',
      [id],
    );
    expect(rows).toHaveLength(1);
  });

  test("a copy of a key is found out by its counter, also when both sign at once", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const [one, other] = await Promise.all([openLogin(server), openLogin(server)]);
    // The same count twice: the key and its copy.
    const answers = [one, other].map(({ flow }) =>
      device.get(requestOptionsOf(flow, "passkey"), { counter: 100 }),
    );
    const replies = await Promise.all([
      sendPasskey(server, one.jar, one.flow, answers[0]!),
      sendPasskey(server, other.jar, other.flow, answers[1]!),
    ]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const later = await openLogin(server);
    const behind = device.get(requestOptionsOf(later.flow, "passkey"), { counter: 99 });
    expect((await sendPasskey(server, later.jar, later.flow, behind)).status).toBe(400);
  });

  test("a registration is not taken twice", async () => {
    const { jar } = await someone(server);
    const flow = await openSettings(server, jar);
    const answer = createDevice().create(registrationOptionsOf(flow, "passkey"));
    const body = { method: "passkey" as const, passkey_settings_register: answer };
    expect((await changeSettings(server, jar, flow, body)).status).toBe(200);
    const again = await changeSettings(server, jar, flow, body);
    expect(again.status).toBe(400);
    expect(namesOf(again.data, "passkey").filter((name) => name === "passkey_remove")).toHaveLength(
      1,
    );
  });
});

describe("a challenge belongs to one flow", () => {
  test("one of another flow does not do, whoever opened it", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const [one, other] = [await openLogin(server), await openLogin(server)];
    const answer = device.get(requestOptionsOf(one.flow, "passkey"));
    expect((await sendPasskey(server, other.jar, other.flow, answer)).status).toBe(400);
  });

  test("one for a new security key does not make a passkey", async () => {
    const { jar } = await someone(server);
    const flow = await openSettings(server, jar);
    const answer = createDevice().create(registrationOptionsOf(flow, "webauthn"));
    const refused = await changeSettings(server, jar, flow, {
      method: "passkey",
      passkey_settings_register: answer,
    });
    expect(refused.status).toBe(400);
  });

  test("one of somebody else's settings does not do", async () => {
    const [one, other] = [await someone(server), await someone(server)];
    const theirs = await openSettings(server, other.jar);
    const mine = await openSettings(server, one.jar);
    const answer = createDevice().create(registrationOptionsOf(theirs, "webauthn"));
    const refused = await changeSettings(server, one.jar, mine, {
      method: "webauthn",
      webauthn_register: answer,
    });
    expect(refused.status).toBe(400);
  });

  test("an expired flow takes nothing", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const { jar, flow } = await openLogin(server);
    const answer = device.get(requestOptionsOf(flow, "passkey"));
    server.advance(2 * 60 * 60_000);
    expect((await sendPasskey(server, jar, flow, answer)).status).toBe(410);
  });
});
