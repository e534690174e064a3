import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityServer, PASSWORD } from "../testing/identity-server.ts";
import {
  addKey,
  attributesOf,
  changeSettings,
  createDevice,
  namesOf,
  openSettings,
  requestOptionsOf,
  signInWithPasskey,
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

describe.each(["ES256", "EdDSA"] as const)("a passkey with %s", (algorithm) => {
  test("signs in without address and password", async () => {
    const { id, jar } = await someone(server);
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
  const { jar } = await someone(server);
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
  await addKey(server, (await someone(server)).jar, { device: mallory, kind: "passkey" });
  const { jar } = await someone(server);
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
  const { jar } = await someoneWithApp(server);
  const device = createDevice();
  await addKey(server, jar, { device, kind: "passkey" });
  const { jar: other, answer } = await signInWithPasskey(server, device);
  expect(answer.status).toBe(422);
  expect((await whoami(server, other)).status).toBe(403);
});

test("the password still signs in beside the passkey", async () => {
  const { email, jar } = await someone(server);
  await addKey(server, jar, { device: createDevice(), kind: "passkey" });
  const { data: flow } = await server.client.createNativeLoginFlow({});
  const done = await server.client.updateLoginFlow({
    flow: flow.id,
    updateLoginFlowBody: { method: "password", identifier: email, password: PASSWORD },
  });
  expect(done.status).toBe(200);
});

test("the last passkey of an account without a password stays", async () => {
  const { id, jar } = await someone(server);
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
