import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CookieJar, type IdentityServer, signInAsBrowser } from "../testing/identity-server.ts";
import {
  account,
  comeBack,
  go,
  leave,
  provider,
  PUBLIC,
  said,
  SECRET,
  start,
  startProvider,
  whoIs,
} from "../testing/oidc-browser.ts";

let server: IdentityServer;
beforeAll(async () => {
  await startProvider();
  server = await start({ registration: "open" });
  // The first person of all would become administrator.
  await server.createPerson("first@example.org", "admin");
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => provider.setAway(false));
afterEach(() => {
  provider.tamper = undefined;
  provider.isTerse = false;
});

describe("what does not hold is refused", () => {
  test("the person or the provider says no", async () => {
    provider.subject = undefined;
    const back = await go(server, "login");
    expect(await said(server, back)).toBe(
      "Acme did not sign you in: it was cancelled or refused there.",
    );
  });

  test("another browser comes back", async () => {
    account();
    const { address } = await leave(server, "login");
    const to = await provider.visit(address);
    const other = new CookieJar();
    other.keep(await server.client.createBrowserLoginFlow());
    const { status, location } = await comeBack(server, other, to);
    expect(status).toBe(303);
    expect(location).not.toBe("/");
    expect(await whoIs(server, other)).toBeUndefined();
    const none = new CookieJar();
    await comeBack(server, none, to);
    expect(await whoIs(server, none)).toBeUndefined();
  });

  test("a return that was used, was another flow's, or was made up", async () => {
    account();
    const { jar, address } = await leave(server, "login");
    const to = await provider.visit(address);
    const changed = (name: string, value: string) => {
      const made = new URL(to);
      made.searchParams.set(name, value);
      return made;
    };
    const state = to.searchParams.get("state")!;
    const otherFlow = await leave(server, "login", { jar });
    const wrong: URL[] = [
      changed("state", `${state.slice(0, -1)}${state.endsWith("A") ? "B" : "A"}`),
      changed("state", state.replace(/^login/, "settings")),
      changed("state", state.replace(/^login/, "recovery")),
      changed("state", new URL(otherFlow.address).searchParams.get("state")!),
      changed("state", ""),
      new URL(`${PUBLIC}/api/.ory/self-service/methods/oidc/callback/nobody${to.search}`),
      new URL(`${PUBLIC}/api/.ory/self-service/methods/oidc/callback/other${to.search}`),
    ];
    for (const url of wrong) {
      const copy = new CookieJar();
      copy.set("csrf_token_mainstay", jar.get("csrf_token_mainstay")!);
      await comeBack(server, copy, url);
      expect(await whoIs(server, copy), url.href).toBeUndefined();
    }
    const used = await comeBack(server, jar, to);
    expect([used.status, used.location]).toEqual([303, "/"]);
    const replay = new CookieJar();
    replay.set("csrf_token_mainstay", jar.get("csrf_token_mainstay")!);
    await comeBack(server, replay, to);
    expect(await whoIs(server, replay)).toBeUndefined();
  });

  test("two returns at once sign in once", async () => {
    account();
    const { jar, address } = await leave(server, "login");
    const to = await provider.visit(address);
    const replies = await Promise.all([comeBack(server, jar, to), comeBack(server, jar, to)]);
    expect(replies.filter(({ location }) => location === "/")).toHaveLength(1);
  });

  test("a wrong code, and a good one of another attempt", async () => {
    account();
    const first = await leave(server, "login");
    const to = await provider.visit(first.address);
    const second = await leave(server, "login");
    const secondTo = await provider.visit(second.address);
    const stolen = new URL(secondTo);
    stolen.searchParams.set("code", to.searchParams.get("code")!);
    const back = await comeBack(server, second.jar, stolen);
    // The proof of PKCE belongs to the other attempt.
    expect(await said(server, { ...back, jar: second.jar })).toMatch(
      /^What Acme answered could not be trusted/,
    );
    expect(await whoIs(server, second.jar)).toBeUndefined();
  });

  test("a flow that was open for too long is replaced", async () => {
    const slow = await start({ registration: "open" });
    try {
      account();
      const { jar, address } = await leave(slow, "login");
      const to = await provider.visit(address);
      slow.advance(61 * 60 * 1000);
      const back = await comeBack(slow, jar, to);
      expect(await said(slow, { ...back, jar })).toMatch(/open for too long/);
    } finally {
      await slow.stop();
    }
  });

  const claimsOf = (token: unknown) =>
    JSON.parse(Buffer.from((token as string).split(".")[1]!, "base64url").toString()) as Record<
      string,
      unknown
    >;
  const now = () => Math.floor(Date.now() / 1000);
  type Forge = (claims: Record<string, unknown>) => Promise<string>;
  const resigned =
    (changes: Record<string, unknown>): Forge =>
    (claims) =>
      provider.sign({ ...claims, ...changes });
  const forgeries: [what: string, forge: Forge][] = [
    ["unsigned", async (claims) => new UnsecuredJWT(claims).encode()],
    [
      "signed by another",
      async (claims) => {
        const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
        return await new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", jwk: await exportJWK(publicKey) })
          .sign(privateKey);
      },
    ],
    [
      "signed with the client's secret",
      async (claims) =>
        await new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(SECRET.padEnd(32, "x"))),
    ],
    ["for another audience", resigned({ aud: "another" })],
    ["of another issuer", resigned({ iss: "https://evil.example.org" })],
    ["with another nonce", resigned({ nonce: "x".repeat(43) })],
    ["without a nonce", resigned({ nonce: undefined })],
    ["expired", resigned({ exp: now() - 120 })],
    ["issued in the future", resigned({ iat: now() + 600 })],
    ["not yet valid", resigned({ nbf: now() + 600 })],
    ["without a subject", resigned({ sub: undefined })],
    ["no token at all", async () => "x"],
  ];
  test.each(forgeries)("an ID token %s", async (_what, forge) => {
    account();
    provider.tamper = async (body) => ({ ...body, id_token: await forge(claimsOf(body.id_token)) });
    const back = await go(server, "login");
    expect(await said(server, back)).toMatch(/^What Acme answered could not be trusted/);
    expect(await whoIs(server, back.jar)).toBeUndefined();
    expect(server.logged.join("\n")).not.toContain(SECRET);
  });

  test.each<[string, () => object, boolean]>([
    ["asked", () => ({ auth_time: now() }), true],
    [
      "did not ask, as somebody had taken that out of the address",
      () => ({ auth_time: now() - 300 }),
      false,
    ],
    ["does not say whether it asked", () => ({ auth_time: undefined }), true],
  ])("a confirmation by a provider that %s", async (_what, changes, isGood) => {
    account();
    provider.tamper = undefined;
    const { jar } = await go(server, "login");
    const before = jar.get("ory_kratos_session");
    provider.tamper = async (body) => ({
      ...body,
      id_token: await provider.sign({ ...claimsOf(body.id_token), ...changes() }),
    });
    const left = await leave(server, "login", { jar, query: "?refresh=true" });
    const asked = new URL(left.address).searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "0"]);
    await comeBack(server, jar, await provider.visit(left.address));
    expect(jar.get("ory_kratos_session") !== before).toBe(isGood);
  });

  test("a token that is merely passed through is good: the forgeries are what is refused", async () => {
    account();
    provider.tamper = async (body) => ({
      ...body,
      id_token: await provider.sign(claimsOf(body.id_token)),
    });
    expect(await whoIs(server, (await go(server, "login")).jar)).toBeDefined();
  });
});

describe("the provider", () => {
  test("may change its keys between two sign-ins", async () => {
    const subject = account();
    await go(server, "login");
    await provider.rotateKeys();
    provider.subject = subject;
    expect(await whoIs(server, (await go(server, "login")).jar)).toBeDefined();
  });

  test("that goes away meanwhile leaves the form with words", async () => {
    account();
    const { jar, address } = await leave(server, "login");
    const to = await provider.visit(address);
    provider.setAway(true);
    const back = await comeBack(server, jar, to);
    expect(await said(server, { ...back, jar })).toBe(
      "Acme cannot be reached at the moment. Try again later, or sign in another way.",
    );
    // The other ways are there.
    expect(
      (await signInAsBrowser(server, "first@example.org")).get("ory_kratos_session"),
    ).toBeDefined();
  });
});
