import { createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import * as openid from "openid-client";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../testing/openid-provider.ts";

const CLIENT = "console";
const REDIRECT = "http://localhost:3000/signed-in";
const ORGANIZATION = "org_acme";

let provider: OpenIdProvider;
let server: TestApp;
beforeAll(async () => {
  provider = await startOpenIdProvider([
    {
      client_id: CLIENT,
      token_endpoint_auth_method: "none",
      redirect_uris: [REDIRECT],
      response_types: ["code"],
      grant_types: ["authorization_code"],
    },
  ]);
  server = await startTestApp({
    hostedIssuer: provider.issuer,
    hostedClientId: CLIENT,
    hostedOrganization: ORGANIZATION,
  });
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});
beforeEach(() => provider.setAway(false));

/** Signs in as the console does: code flow with PKCE, without a secret. */
async function signIn(subject: string, claims: Record<string, unknown>): Promise<string> {
  provider.accounts.set(subject, claims);
  provider.subject = subject;
  const config = await openid.discovery(
    new URL(provider.issuer),
    CLIENT,
    undefined,
    openid.None(),
    {
      execute: [openid.allowInsecureRequests],
    },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT,
    scope: "openid email profile",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const back = await provider.visit(address.href);
  const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier });
  return tokens.access_token;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const whoami = (headers: Record<string, string>) => server.nobody.get("/api/auth/whoami", headers);
const seconds = () => Math.floor(Date.now() / 1000);
const good = (more: JWTPayload = {}): JWTPayload => ({
  iss: provider.issuer,
  sub: `user-${crypto.randomUUID()}`,
  azp: CLIENT,
  org_id: ORGANIZATION,
  iat: seconds(),
  exp: seconds() + 60,
  ...more,
});
const person = (subject: string) =>
  server.db.rows(sql`
    select name, email, avatar, properties, deleted_at,
           array(select v1::text from casbin_rule where ptype = 'g' and v0 = people.id::text) as roles
      from people where external_id = ${subject}`);

describe("a token that the provider gave the console", () => {
  test("makes a person at first sight, once, and recognises them after", async () => {
    const token = await signIn("ada", {
      name: "Ada Lovelace",
      email: "ada@example.org",
      email_verified: true,
      picture: "https://example.org/ada.png",
      org_id: ORGANIZATION,
      org_role: "org:member",
    });
    const replies = await Promise.all([1, 2, 3].map(() => whoami(bearer(token))));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [{ payload }] = replies.map(({ json }) => json) as [
      { payload: { user: { id: string } } },
    ];
    expect(payload).toMatchObject({
      user: {
        name: "Ada Lovelace",
        email: "ada@example.org",
        avatar: "https://example.org/ada.png",
        external_id: "ada",
      },
      roles: ["viewer"],
    });
    expect(await person("ada")).toHaveLength(1);
    expect(
      (await server.nobody.get("/api/db/people?select=id&limit=1", bearer(token))).status,
    ).toBe(200);
    const write = { name: "x", value: "1" };
    expect((await server.nobody.post("/api/db/properties", write, bearer(token))).status).toBe(403);
  });

  test("makes an administrator of who is one there, for as long as they are", async () => {
    const claims = { name: "Grace", email: "grace@example.org", org_id: ORGANIZATION };
    const boss = await signIn("grace", { ...claims, org_role: "org:admin" });
    expect((await whoami(bearer(boss))).json.payload.roles).toEqual(["admin"]);
    const id = (await whoami(bearer(boss))).json.payload.user.id as string;
    await server.db.run(sql`insert into casbin_rule (ptype, v0, v1) values ('g', ${id}, 'editor')`);
    const member = await signIn("grace", { ...claims, org_role: "org:member" });
    expect((await whoami(bearer(member))).json.payload.roles).toEqual(["editor"]);
    expect((await whoami(bearer(boss))).json.payload.roles).toEqual(["admin", "editor"]);
  });

  test("is understood in the short form as well", async () => {
    const token = await provider.sign(
      good({ sub: "short", org_id: undefined, o: { id: ORGANIZATION, rol: "admin" } }),
    );
    expect((await whoami(bearer(token))).json.payload.roles).toEqual(["admin"]);
  });

  test("finds the person who was known by a verified address, and not by another", async () => {
    const add = (email: string) =>
      server.db.run(sql`insert into people (name, email) values ('Known', ${email})`);
    await add("known@example.org");
    const verified = good({ email: "known@example.org", email_verified: true });
    expect((await whoami(bearer(await provider.sign(verified)))).json.payload.user.name).toBe(
      "Known",
    );
    // The address has an owner at the provider now.
    const second = await provider.sign(good({ email: "known@example.org", email_verified: true }));
    expect((await whoami(bearer(second))).status).toBe(403);
    await add("claimed@example.org");
    const claimed = await provider.sign(good({ email: "claimed@example.org" }));
    const refused = await whoami(bearer(claimed));
    expect([refused.status, refused.json.error]).toEqual([
      403,
      "Somebody else with the address claimed@example.org is known here. Ask an administrator.",
    ]);
  });

  test("of somebody who was removed here is refused", async () => {
    const claims = good();
    const token = await provider.sign(claims);
    expect((await whoami(bearer(token))).status).toBe(200);
    await server.db.run(
      sql`update people set deleted_at = now() where external_id = ${claims.sub}`,
    );
    expect((await whoami(bearer(token))).status).toBe(403);
    expect(await person(claims.sub!)).toHaveLength(1);
  });

  test("comes in the provider's cookie too, which another site's page cannot use", async () => {
    const cookie = `__session=${await provider.sign(good({ org_role: "admin" }))}`;
    expect((await whoami({ cookie })).status).toBe(200);
    const body = { name: "from-cookie", value: "1" };
    const foreign = { cookie, origin: "https://evil.example.org", "sec-fetch-site": "cross-site" };
    expect((await server.nobody.post("/api/db/properties", body, foreign)).status).toBe(403);
    expect((await server.nobody.post("/api/db/properties", body, { cookie })).status).toBe(201);
  });
});

describe("what is not for this server is refused", () => {
  type Case = [what: string, status: number, changes: JWTPayload];
  const cases: Case[] = [
    ["another organization", 403, { org_id: "org_other" }],
    ["no organization", 403, { org_id: undefined }],
    ["an organization that is no text", 403, { org_id: [ORGANIZATION] }],
    ["another issuer", 401, { iss: "https://evil.example.org" }],
    ["no issuer", 401, { iss: undefined }],
    ["another audience", 401, { aud: "another-client" }],
    ["another audience, though asked for by us", 401, { aud: ["a", "b"], azp: CLIENT }],
    ["asked for by another client", 401, { azp: "another-client" }],
    ["neither audience nor client", 401, { azp: undefined }],
    ["expired", 401, { exp: seconds() - 60 }],
    ["without an end", 401, { exp: undefined }],
    ["not yet valid", 401, { nbf: seconds() + 300 }],
    ["issued in the future", 401, { iat: seconds() + 300 }],
    ["issued at no time", 401, { iat: undefined }],
    ["without a subject", 401, { sub: undefined }],
    ["with an empty subject", 401, { sub: "" }],
    ["with an endless subject", 401, { sub: "x".repeat(300) }],
  ];
  test.each(cases)("%s: %i", async (_what, status, changes) => {
    const before = await server.db.first(sql`select count(*) from people`);
    const claims = Object.fromEntries(
      Object.entries(good(changes)).filter(([, value]) => value !== undefined),
    );
    expect((await whoami(bearer(await provider.sign(claims)))).status).toBe(status);
    expect(await server.db.first(sql`select count(*) from people`)).toEqual(before);
  });

  test("a little skew of the clocks is not held against anybody", async () => {
    const token = await provider.sign(good({ iat: seconds() + 15, exp: seconds() - 15 }));
    expect((await whoami(bearer(token))).status).toBe(200);
  });

  test("signatures that are not the provider's", async () => {
    const { kid } = JSON.parse(
      Buffer.from((await provider.sign(good())).split(".")[0]!, "base64url").toString(),
    ) as { kid: string };
    const [header, payload, signature] = (await provider.sign(good())).split(".") as [
      string,
      string,
      string,
    ];
    const other = await generateKeyPair("RS256", { extractable: true });
    const jwks = (await (await fetch(`${provider.issuer}/jwks`)).json()) as {
      keys: { n: string }[];
    };
    const publicKey = Buffer.from(jwks.keys[0]!.n, "base64url");
    const body = Buffer.from(JSON.stringify(good({ org_role: "admin" }))).toString("base64url");
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const hmac = (head: object) => {
      const signed = `${encoded(head)}.${body}`;
      return `${signed}.${createHmac("sha256", publicKey).update(signed).digest("base64url")}`;
    };
    const forged: Record<string, string> = {
      none: new UnsecuredJWT(good()).encode(),
      "none, in capitals": `${encoded({ alg: "NONE", kid })}.${body}.`,
      "the public key as a secret": hmac({ alg: "HS256", kid }),
      "no signature": `${header}.${payload}.`,
      "another payload": `${header}.${body}.${signature}`,
      "a cut signature": `${header}.${payload}.${signature.slice(0, -8)}`,
      "another key of the same name": await new SignJWT(good())
        .setProtectedHeader({ alg: "RS256", kid })
        .sign(other.privateKey),
      "a key of another name": await new SignJWT(good())
        .setProtectedHeader({ alg: "RS256", kid: "mine" })
        .sign(other.privateKey),
      "its own key in the header": await new SignJWT(good())
        .setProtectedHeader({ alg: "RS256", kid, jwk: await exportJWK(other.publicKey) })
        .sign(other.privateKey),
      "a key from elsewhere": await new SignJWT(good())
        .setProtectedHeader({ alg: "RS256", kid, jku: "https://evil.example.org/jwks" })
        .sign(other.privateKey),
      "no JSON": `${header}.bm8ganNvbg.${signature}`,
    };
    const statuses = await Promise.all(
      Object.entries(forged).map(async ([what, token]) => [
        what,
        (await whoami(bearer(token))).status,
      ]),
    );
    expect(Object.fromEntries(statuses)).toEqual(
      Object.fromEntries(Object.keys(forged).map((what) => [what, 401])),
    );
  });

  test("a token in the address", async () => {
    const token = await provider.sign(good());
    for (const name of ["access_token", "token", "__session"])
      expect((await server.nobody.get(`/api/auth/whoami?${name}=${token}`)).status).toBe(401);
  });
});

describe("the provider", () => {
  test("may change its keys: the new one counts, the old one does not", async () => {
    const fresh = await startTestApp({
      hostedIssuer: provider.issuer,
      hostedClientId: CLIENT,
      hostedOrganization: ORGANIZATION,
    });
    try {
      const ask = (token: string) => fresh.nobody.get("/api/auth/whoami", bearer(token));
      const old = await provider.sign(good());
      await provider.rotateKeys();
      const published = provider.asked.filter((path) => path === "/jwks").length;
      expect((await ask(await provider.sign(good()))).status).toBe(200);
      expect((await ask(old)).status).toBe(401);
      // Keys that nobody has made do not make us ask each time.
      for (let index = 0; index < 20; index += 1) expect((await ask(old)).status).toBe(401);
      expect(provider.asked.filter((path) => path === "/jwks").length - published).toBeLessThan(3);
    } finally {
      await fresh.stop();
    }
  });

  test("that is away is said to be, and asked again", async () => {
    const fresh = await startTestApp({
      hostedIssuer: provider.issuer,
      hostedClientId: CLIENT,
      hostedOrganization: ORGANIZATION,
    });
    try {
      const token = await provider.sign(good());
      provider.setAway(true);
      const away = await fresh.nobody.get("/api/auth/whoami", bearer(token));
      expect([away.status, away.json.error]).toEqual([
        503,
        "The sign-in provider cannot be reached at the moment. Please try again.",
      ]);
      // What does not need it goes on.
      expect((await fresh.nobody.get("/api/auth/mode")).json).toEqual({
        mode: "hosted",
        issuer: provider.issuer,
        client_id: CLIENT,
        organization: ORGANIZATION,
      });
      provider.setAway(false);
      expect((await fresh.nobody.get("/api/auth/whoami", bearer(token))).status).toBe(200);
      // Known keys do without it.
      provider.setAway(true);
      expect((await fresh.nobody.get("/api/auth/whoami", bearer(token))).status).toBe(200);
    } finally {
      await fresh.stop();
    }
  });

  test.each([
    ["an issuer alone", { hostedIssuer: "https://id.example.org" }, "HOSTED_CLIENT_ID"],
    [
      "no organization",
      { hostedIssuer: "https://id.example.org", hostedClientId: CLIENT },
      "HOSTED_ORGANIZATION",
    ],
  ])("is set whole: %s is refused at the start", async (_what, changes, named) => {
    await expect(startTestApp(changes)).rejects.toThrow(named);
  });
});

describe("a console that is open elsewhere", () => {
  const elsewhere = "https://console.example.org";
  let direct: TestApp;
  beforeAll(async () => {
    direct = await startTestApp({
      hostedIssuer: provider.issuer,
      hostedClientId: CLIENT,
      hostedOrganization: ORGANIZATION,
      hostedOrigins: [elsewhere],
    });
  });
  afterAll(() => direct.stop());

  test("may ask and read, with its token and without cookies", async () => {
    const preflight = await direct.nobody.request("OPTIONS", "/api/db/people", undefined, {
      origin: elsewhere,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization, prefer",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(elsewhere);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();

    const token = await provider.sign(good());
    const headers = { ...bearer(token), origin: elsewhere, "sec-fetch-site": "cross-site" };
    const rows = await direct.nobody.get("/api/db/people?limit=1", {
      ...headers,
      prefer: "count=exact",
    });
    expect(rows.status).toBe(206);
    expect(rows.headers.get("access-control-allow-origin")).toBe(elsewhere);
    expect(rows.headers.get("access-control-expose-headers")).toContain("content-range");
    expect(rows.headers.get("vary")).toMatch(/origin/i);
    // A refusal is read, too.
    const refused = await direct.nobody.get("/api/auth/whoami", { origin: elsewhere });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      elsewhere,
    ]);
  });

  test.each([
    "https://evil.example.org",
    "https://console.example.org.evil.example",
    "null",
    "http://console.example.org",
  ])("%s is not one", async (origin) => {
    const reply = await direct.nobody.get("/api/auth/mode", { origin });
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await direct.nobody.request("OPTIONS", "/api/auth/mode", undefined, {
      origin,
      "access-control-request-method": "GET",
    });
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test("nobody registers beside the provider, though registration is open", async () => {
  const open = await startTestApp({
    hostedIssuer: provider.issuer,
    hostedClientId: CLIENT,
    hostedOrganization: ORGANIZATION,
    registration: "open",
  });
  try {
    const refused = await open.nobody.get("/api/.ory/self-service/registration/api");
    expect([refused.status, refused.json]).toMatchObject([
      400,
      { error: { id: "self_service_flow_disabled" } },
    ]);
  } finally {
    await open.stop();
  }
});

test("a server without a provider believes no such token", async () => {
  const own = await startTestApp();
  try {
    const reply = await own.nobody.get("/api/auth/whoami", bearer(await provider.sign(good())));
    expect(reply.status).toBe(401);
    expect((await own.nobody.get("/api/auth/mode")).json).toEqual({ mode: "own" });
  } finally {
    await own.stop();
  }
});
