import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityServer } from "../testing/identity-server.ts";
import {
  addKey,
  attributesOf,
  changeSettings,
  createDevice,
  linkApp,
  namesOf,
  openSettings,
  openStepUp,
  ORIGIN,
  requestOptionsOf,
  signInAsBrowser,
  someone,
  startFactorServer,
  submitLogin,
  whoami,
} from "../testing/second-factors.ts";

let server: IdentityServer;
beforeAll(async () => {
  server = await startFactorServer();
});
afterAll(() => server.stop());

describe.each(["ES256", "EdDSA"] as const)("a security key with %s", (algorithm) => {
  test("is added with a name, asked for, and removed", async () => {
    const { email, jar } = await someone(server);
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
  const { email, jar } = await someone(server);
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
