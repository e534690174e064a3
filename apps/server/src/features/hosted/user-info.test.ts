import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";

/** A provider whose tokens say little: what more there is has to be asked for, with the token. */

let issuer: string;
let privateKey: CryptoKey;
let server: TestApp;
/** By subject; nobody else is answered about. */
const known = new Map<string, object>();
let isAway = false;
const provider = createServer();
beforeAll(async () => {
  const pair = await generateKeyPair("ES256");
  ({ privateKey } = pair);
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: "one", alg: "ES256" }];
  provider.on("request", (request, reply) => {
    const [, payload = ""] = (request.headers.authorization ?? "").split(".");
    const { sub = "" } = JSON.parse(
      Buffer.from(payload, "base64url").toString() || "{}",
    ) as JWTPayload;
    const answers: Record<string, unknown> = {
      "/.well-known/openid-configuration": {
        issuer,
        jwks_uri: `${issuer}/keys`,
        userinfo_endpoint: `${issuer}/me`,
      },
      "/keys": { keys },
      "/me": known.get(sub),
    };
    if (isAway && request.url === "/me") return void request.socket.destroy();
    const answer = answers[request.url ?? ""];
    reply.writeHead(answer === undefined ? 401 : 200, { "content-type": "application/json" });
    reply.end(JSON.stringify(answer ?? {}));
  });
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  server = await startTestApp({
    hostedIssuer: issuer,
    hostedClientId: "console",
    hostedOrganization: "org_acme",
  });
});
afterAll(async () => {
  await server.stop();
  provider.closeAllConnections();
  provider.close();
  await once(provider, "close");
});

async function come(subject: string, claims: JWTPayload = {}) {
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({ aud: "console", org_id: "org_acme", ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuer(issuer)
    .setSubject(subject)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(privateKey);
  return await server.nobody.get("/api/auth/whoami", { authorization: `Bearer ${token}` });
}

const addKnown = (name: string, email: string) =>
  server.db.first<{ id: string }>(
    sql`insert into people (name, email) values (${name}, ${email}) returning id`,
  );

test("who was known by an address is found by the provider's word about it", async () => {
  const { id } = (await addKnown("Invited", "invited@example.org"))!;
  known.set("invited", { email: "invited@example.org", email_verified: true });
  const { status, json } = await come("invited");
  expect([status, json.payload?.user.id]).toEqual([200, id]);
});

test("a token's word about an address it does not name is about no other", async () => {
  await addKnown("Somebody", "somebody@example.org");
  known.set("stranger", { email: "somebody@example.org" });
  expect((await come("stranger", { email_verified: true })).status).toBe(403);
});

test("nobody is made without a name because the provider was away for a moment", async () => {
  known.set("grace", { name: "Grace Hopper", email: "grace@example.org" });
  isAway = true;
  expect((await come("grace")).status).toBe(503);
  isAway = false;
  expect((await come("grace")).json.payload.user.name).toBe("Grace Hopper");
});

test("of whom it says nothing, the token is enough", async () => {
  expect((await come("nobody")).json.payload.user.name).toBe("nobody");
});
