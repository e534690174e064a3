import type { LoginFlow } from "@ory/kratos-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CookieJar, type IdentityServer } from "../testing/identity-server.ts";
import type { Lies } from "../testing/software-authenticator.ts";
import {
  addKey,
  attributesOf,
  changeSettings,
  createDevice,
  messageIds,
  namesOf,
  openLogin,
  openSettings,
  openStepUp,
  registrationOptionsOf,
  requestOptionsOf,
  sendPasskey,
  signInAsBrowser,
  someone,
  someoneWithKey,
  startFactorServer,
  submitLogin,
  whoami,
} from "../testing/second-factors.ts";
import { userHandle } from "./webauthn-ceremony.ts";

/** What attackers send who have somebody's password, a page in between, a stolen answer, or a copy of a key. */

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());
const sendKey = (jar: CookieJar, flow: LoginFlow, answer: string) =>
  submitLogin(server, jar, flow, { method: "webauthn", identifier: "", webauthn_login: answer });
const lies: { what: string; lies: Lies }[] = [
  { what: "of another page", lies: { origin: "https://evil.example" } },
  { what: "of a neighbour on another port", lies: { origin: "http://localhost:3101" } },
  { what: "of a page below another name", lies: { origin: "http://evil.localhost:3100" } },
  { what: "for another host", lies: { rpId: "evil.example" } },
  {
    what: "for a challenge of one's own",
    lies: { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
  },
  { what: "for no challenge", lies: { challenge: "" } },
  { what: "that is a registration", lies: { type: "webauthn.create" } },
  { what: "signed by another key", lies: { privateKey: createDevice().privateKey } },
  { what: "with a counter that went back", lies: { counter: 1 } },
  { what: "that nobody touched", lies: { isPresent: false } },
];

describe("a passkey's answer is refused", () => {
  const more: { what: string; lies: Lies }[] = [
    { what: "without finger or PIN", lies: { isVerified: false } },
    {
      what: "that claims to be somebody else",
      lies: { userHandle: userHandle("01890a5d-ac96-774b-bcce-b302099a8057") },
    },
    { what: "that says nobody's name", lies: { userHandle: "" } },
    { what: "of a key that is not known", lies: { credentialId: "AAAA" } },
  ];
  test.each([...lies, ...more])("$what", async ({ lies: lie }) => {
    const { device } = await someoneWithKey(server, "passkey");
    // A first, good one: the counter has moved on.
    const before = await openLogin(server);
    const good = device.get(requestOptionsOf(before.flow, "passkey"));
    expect((await sendPasskey(server, before.jar, before.flow, good)).status).toBe(200);

    const { jar, flow } = await openLogin(server);
    const answer = await sendPasskey(
      server,
      jar,
      flow,
      device.get(requestOptionsOf(flow, "passkey"), lie),
    );
    expect(answer.status).toBe(400);
    expect(messageIds(answer.data as never)).toEqual([4000015]);
    expect(jar.get("ory_kratos_session")).toBeUndefined();
  });
});

describe("a security key's answer is refused", () => {
  test.each(lies)("$what", async ({ lies: lie }) => {
    const { email, device } = await someoneWithKey(server, "webauthn");
    const before = await signInAsBrowser(server, email);
    const flowBefore = await openStepUp(server, before);
    const good = device.get(requestOptionsOf(flowBefore, "webauthn"));
    expect((await sendKey(before, flowBefore, good)).status).toBe(200);

    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const answer = await sendKey(jar, flow, device.get(requestOptionsOf(flow, "webauthn"), lie));
    expect(answer.status).toBe(400);
    expect(messageIds(answer.data as never)).toContain(4000008);
    expect((await whoami(server, jar)).status).toBe(403);
  });

  test("of somebody else, whose session it is not", async () => {
    const { email } = await someoneWithKey(server, "webauthn");
    const { device: mallory } = await someoneWithKey(server, "webauthn");
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const answer = await sendKey(jar, flow, mallory.get(requestOptionsOf(flow, "webauthn")));
    expect(answer.status).toBe(400);
  });

  test("under the name of the person's own key, signed by another", async () => {
    const { email, device } = await someoneWithKey(server, "webauthn");
    const { device: mallory } = await someoneWithKey(server, "webauthn");
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const options = requestOptionsOf(flow, "webauthn");
    const answer = await sendKey(jar, flow, mallory.get(options, { credentialId: device.id }));
    expect(answer.status).toBe(400);
  });
});

test.each(["", "{}", "null", '{"id":1}', "x".repeat(10_000)])(
  "%j instead of an answer",
  async (text) => {
    const { jar, flow } = await openLogin(server);
    const answer = await sendPasskey(server, jar, flow, text);
    expect(answer.status).toBe(400);
    expect(messageIds(answer.data as never)).toContain(4000015);
  },
);

describe("a key is of one person and of one kind", () => {
  test("somebody else's key is not added a second time", async () => {
    const { device } = await someoneWithKey(server, "passkey");
    const { jar } = await someone(server);
    for (const kind of ["passkey", "webauthn"] as const) {
      const refused = await addKey(server, jar, { device, kind });
      expect(refused.status).toBe(400);
    }
  });

  test("nobody takes over a key by registering under its name", async () => {
    const { id, device } = await someoneWithKey(server, "passkey");
    const { jar: mallory } = await someone(server);
    const flow = await openSettings(server, mallory);
    const answer = createDevice().create(registrationOptionsOf(flow, "passkey"), {
      credentialId: device.id,
    });
    const refused = await changeSettings(server, mallory, flow, {
      method: "passkey",
      passkey_settings_register: answer,
    });
    expect(refused.status).toBe(400);
    const login = await openLogin(server);
    const good = device.get(requestOptionsOf(login.flow, "passkey"));
    expect((await sendPasskey(server, login.jar, login.flow, good)).status).toBe(200);
    expect((await whoami(server, login.jar)).data.identity!.id).toBe(id);
  });

  test("a second factor is no passkey", async () => {
    const { device } = await someoneWithKey(server, "webauthn");
    const { jar, flow } = await openLogin(server);
    expect(
      (await sendPasskey(server, jar, flow, device.get(requestOptionsOf(flow, "passkey")))).status,
    ).toBe(400);
  });

  test("a passkey is no second factor", async () => {
    const { email, jar: own, device } = await someoneWithKey(server, "passkey");
    await addKey(server, own, { device: createDevice(), kind: "webauthn" });
    const jar = await signInAsBrowser(server, email);
    const flow = await openStepUp(server, jar);
    const answer = await sendKey(jar, flow, device.get(requestOptionsOf(flow, "webauthn")));
    expect(answer.status).toBe(400);
  });

  test("nobody removes somebody else's", async () => {
    const { jar: victim, device } = await someoneWithKey(server, "passkey");
    const theirs = attributesOf(await openSettings(server, victim), "passkey_remove")!
      .value as string;
    const { jar } = await someone(server);
    const flow = await openSettings(server, jar);
    const refused = await changeSettings(server, jar, flow, {
      method: "passkey",
      passkey_remove: theirs,
    });
    expect(refused.status).toBe(400);
    const login = await openLogin(server);
    const good = device.get(requestOptionsOf(login.flow, "passkey"));
    expect((await sendPasskey(server, login.jar, login.flow, good)).status).toBe(200);
  });

  test("who is deactivated does not come in by passkey, nor who has removed it", async () => {
    const { id, jar: own, device } = await someoneWithKey(server, "passkey");
    const tryIt = async () => {
      const { jar, flow } = await openLogin(server);
      const { status } = await sendPasskey(
        server,
        jar,
        flow,
        device.get(requestOptionsOf(flow, "passkey")),
      );
      return { status, cookie: jar.get("ory_kratos_session") };
    };
    await server.db.pool.query("update identities set state = 'inactive' where id = $1", [id]);
    expect((await tryIt()).cookie).toBeUndefined();
    await server.db.pool.query("update identities set state = 'active' where id = $1", [id]);
    expect((await tryIt()).status).toBe(200);
    const flow = await openSettings(server, own);
    await changeSettings(server, own, flow, {
      method: "passkey",
      passkey_remove: attributesOf(flow, "passkey_remove")!.value as string,
    });
    expect((await tryIt()).status).toBe(400);
  });

  test("there is an end to how many somebody may have", async () => {
    const { jar } = await someone(server);
    for (let count = 0; count < 20; count += 1) {
      expect((await addKey(server, jar, { device: createDevice(), kind: "webauthn" })).status).toBe(
        200,
      );
    }
    const flow = await openSettings(server, jar);
    expect(namesOf(flow, "webauthn")).not.toContain("webauthn_register_trigger");
    const refused = await changeSettings(server, jar, flow, {
      method: "webauthn",
      webauthn_register: createDevice().create({
        rp: { id: "localhost" },
        user: { id: "AAAA" },
        challenge: "AAAA",
      }),
    });
    expect(refused.status).toBe(400);
  });
});

test("names of every script are kept on one line and in bounds", async () => {
  const { jar } = await someone(server);
  const names = [
    "مفتاح أزرق 🔑",
    "  two\nlines\u0000\u001b[31m ",
    "<img src=x onerror=alert(1)>",
    "k".repeat(500),
    "\ud800broken",
  ];
  for (const name of names) {
    const added = await addKey(server, jar, { device: createDevice(), kind: "webauthn", name });
    expect(added.status).toBe(200);
  }
  const { rows } = await server.db.pool.query<{ name: string }>(
    "select k.name from identity_keys k order by created_at desc, id desc limit 5",
  );
  expect(rows.map(({ name }) => name).toReversed()).toEqual([
    "مفتاح أزرق 🔑",
    "two lines [31m",
    "<img src=x onerror=alert(1)>",
    "k".repeat(64),
    "\ufffdbroken",
  ]);
});

test("a program has no authenticator: the form offers none and takes none", async () => {
  const { device } = await someoneWithKey(server, "passkey");
  const { data: flow } = await server.client.createNativeLoginFlow({});
  expect(namesOf(flow, "passkey")).toEqual([]);
  const answer = await server.client.updateLoginFlow({
    flow: flow.id,
    updateLoginFlowBody: {
      method: "passkey",
      passkey_login: device.get({ rpId: "localhost", challenge: "AAAA" }),
    },
  });
  expect(answer.status).toBe(400);
});

test("another site cannot use a flow it does not have the cookie of", async () => {
  const { device } = await someoneWithKey(server, "passkey");
  const { flow } = await openLogin(server);
  const answer = device.get(requestOptionsOf(flow, "passkey"));
  const stolen = await sendPasskey(server, new CookieJar(), flow, answer);
  expect(stolen.status).toBe(403);
  expect(stolen.data).toMatchObject({ error: { id: "security_csrf_violation" } });
});

test("what was wrong is in the log, without answers or challenges", async () => {
  const { device } = await someoneWithKey(server, "passkey");
  const { jar, flow } = await openLogin(server);
  const options = requestOptionsOf(flow, "passkey");
  await sendPasskey(server, jar, flow, device.get(options, { origin: "https://evil.example" }));
  const lines = server.logged.filter((line) => line.includes("passkey refused"));
  expect(lines.at(-1)).toContain("evil.example");
  expect(server.logged.join("\n")).not.toContain(options.challenge);
});
