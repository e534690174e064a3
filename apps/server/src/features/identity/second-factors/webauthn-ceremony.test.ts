import type { FastifyRequest } from "fastify";
import { describe, expect, test } from "vitest";
import { createAuthenticatorDevice, type Lies } from "../testing/software-authenticator.ts";
import {
  creationOptions,
  makeChallenge,
  readAssertion,
  relyingParty,
  requestOptions,
  userHandle,
  verifyAssertion,
  verifyCreation,
} from "./webauthn-ceremony.ts";

const rp = { id: "ops.example.org", origins: ["https://ops.example.org"] };
const user = { id: "01890a5d-ac96-774b-bcce-b302099a8057", email: "ada@example.org", name: "Ada" };
const origin = rp.origins[0]!;

const begin = (isPasskey: boolean) =>
  creationOptions({ rp, challenge: makeChallenge(), user, known: [], isPasskey });

async function register(algorithm: "ES256" | "EdDSA" = "ES256", isPasskey = true) {
  const device = createAuthenticatorDevice({ origin, algorithm });
  const options = begin(isPasskey);
  const outcome = await verifyCreation({
    text: device.create(options),
    challenge: options.challenge,
    rp,
    isPasskey,
  });
  if (!("key" in outcome)) throw new Error(outcome.fault);
  return { device, key: outcome.key };
}

describe.each(["ES256", "EdDSA"] as const)("a key with %s", (algorithm) => {
  test("is registered and signs in, again and again", async () => {
    const { device, key } = await register(algorithm);
    expect(key).toMatchObject({ credential_id: device.id, transports: ["usb"], backed_up: false });
    let { counter } = key;
    for (let round = 0; round < 3; round += 1) {
      const options = requestOptions({ rp, challenge: makeChallenge(), isPasskey: true });
      const assertion = readAssertion(device.get(options))!;
      expect(assertion.credentialId).toBe(key.credential_id);
      expect(assertion.userHandle).toBe(userHandle(user.id));
      const outcome = await verifyAssertion({
        assertion,
        key: { ...key, counter },
        challenge: options.challenge,
        rp,
        isPasskey: true,
      });
      expect(outcome).toEqual({ counter: counter + 1 });
      counter += 1;
    }
  });
});

const stranger = createAuthenticatorDevice({ origin });

describe("a registration is refused", () => {
  const cases: { what: string; lies: Lies; isPasskey?: boolean; fault: RegExp }[] = [
    { what: "from another origin", lies: { origin: "https://evil.example" }, fault: /origin/ },
    {
      what: "from a neighbour's origin",
      lies: { origin: "https://ops.example.org.evil.example" },
      fault: /origin/,
    },
    { what: "from plain http", lies: { origin: "http://ops.example.org" }, fault: /origin/ },
    { what: "for another host", lies: { rpId: "evil.example" }, fault: /RP ID/ },
    { what: "for another challenge", lies: { challenge: makeChallenge() }, fault: /challenge/ },
    { what: "that is a sign-in", lies: { type: "webauthn.get" }, fault: /type/ },
    { what: "that nobody touched", lies: { isPresent: false }, fault: /present/ },
    { what: "as a passkey without finger or PIN", lies: { isVerified: false }, fault: /verif/ },
  ];
  test.each(cases)("$what", async ({ lies, fault }) => {
    const options = begin(true);
    const outcome = await verifyCreation({
      text: createAuthenticatorDevice({ origin }).create(options, lies),
      challenge: options.challenge,
      rp,
      isPasskey: true,
    });
    expect(outcome).toMatchObject({ fault: expect.stringMatching(fault) });
  });

  test("a second factor needs neither finger nor PIN", async () => {
    const options = begin(false);
    const outcome = await verifyCreation({
      text: createAuthenticatorDevice({ origin }).create(options, { isVerified: false }),
      challenge: options.challenge,
      rp,
      isPasskey: false,
    });
    expect(outcome).toHaveProperty("key");
  });
});

describe("a sign-in is refused", () => {
  const cases: { what: string; lies: Lies; fault: RegExp }[] = [
    { what: "from another origin", lies: { origin: "https://evil.example" }, fault: /origin/ },
    { what: "for another host", lies: { rpId: "evil.example" }, fault: /RP ID/ },
    { what: "for another challenge", lies: { challenge: makeChallenge() }, fault: /challenge/ },
    { what: "that is a registration", lies: { type: "webauthn.create" }, fault: /type/ },
    {
      what: "signed by another key",
      lies: { privateKey: stranger.privateKey },
      fault: /signature/,
    },
    { what: "whose counter stands still", lies: { counter: 1 }, fault: /counter/ },
    { what: "whose counter goes back", lies: { counter: 0 }, fault: /counter/ },
    { what: "without finger or PIN", lies: { isVerified: false }, fault: /verif/ },
    { what: "that nobody touched", lies: { isPresent: false }, fault: /present/ },
  ];
  test.each(cases)("$what", async ({ lies, fault }) => {
    const { device, key } = await register();
    const options = requestOptions({ rp, challenge: makeChallenge(), isPasskey: true });
    const outcome = await verifyAssertion({
      assertion: readAssertion(device.get(options, lies))!,
      key,
      challenge: options.challenge,
      rp,
      isPasskey: true,
    });
    expect(outcome).toMatchObject({ fault: expect.stringMatching(fault) });
  });
});

test.each([
  undefined,
  17,
  "",
  "null",
  "[]",
  "{",
  '{"id":"a"}',
  JSON.stringify({ id: "ä", rawId: "ä", type: "public-key", response: {} }),
  JSON.stringify({ id: "a".repeat(2000), rawId: "a", type: "public-key", response: {} }),
  "x".repeat(40_000),
])("%j is no answer of an authenticator", async (text) => {
  expect(readAssertion(text)).toBeUndefined();
  expect(await verifyCreation({ text, challenge: "x", rp, isPasskey: true })).toHaveProperty(
    "fault",
  );
});

test("garbage in the right shape is a fault, not an exception", async () => {
  const garbage = Buffer.from("garbage").toString("base64url");
  const text = JSON.stringify({
    id: garbage,
    rawId: garbage,
    type: "public-key",
    response: {
      clientDataJSON: garbage,
      attestationObject: garbage,
      authenticatorData: garbage,
      signature: garbage,
    },
  });
  const { key } = await register();
  expect(await verifyCreation({ text, challenge: "x", rp, isPasskey: true })).toHaveProperty(
    "fault",
  );
  const assertion = readAssertion(text)!;
  expect(
    await verifyAssertion({ assertion, key, challenge: "x", rp, isPasskey: true }),
  ).toHaveProperty("fault");
});

describe("whom a key is for", () => {
  test.each([
    {
      url: "https://ops.example.org",
      found: { id: "ops.example.org", origins: ["https://ops.example.org"] },
    },
    {
      url: "https://ops.example.org:8443",
      found: { id: "ops.example.org", origins: ["https://ops.example.org:8443"] },
    },
    {
      url: "http://localhost:3100",
      found: { id: "localhost", origins: ["http://localhost:3100"] },
    },
    { url: "http://ops.example.org", found: undefined },
    { url: "http://127.0.0.1:3100", found: undefined },
    { url: "https://10.0.0.1", found: undefined },
    { url: "https://[::1]", found: undefined },
    {
      url: "http://10.0.0.1:3100",
      publicUrl: "https://ops.example.org",
      found: { id: "ops.example.org", origins: ["https://ops.example.org"] },
    },
    {
      url: "https://inner.example.org",
      publicUrl: "https://ops.example.org",
      found: { id: "ops.example.org", origins: ["https://ops.example.org"] },
    },
  ])("at $url with PUBLIC_URL $publicUrl", ({ url, publicUrl, found }) => {
    const { protocol, host } = new URL(url);
    const request = { protocol: protocol.slice(0, -1), host } as FastifyRequest;
    expect(relyingParty(request, { publicUrl })).toEqual(found);
  });
});

test("one device does not count twice: keys that the person has are excluded", () => {
  const known = [{ credential_id: "abc", transports: ["usb"] }];
  const options = creationOptions({ rp, challenge: "x", user, known, isPasskey: true });
  expect(options.excludeCredentials).toEqual([
    { id: "abc", type: "public-key", transports: ["usb"] },
  ]);
});
