import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  areInstalled,
  type Certificates,
  makeCertificates,
  type NginxServer,
  startNginx,
} from "@mainstay/testkit/servers/index.ts";
import { closeAll, serve } from "#platform/outbound/testing/serve.ts";
import {
  digestServer,
  ntlmServer,
  tokenServer,
} from "#platform/outbound/testing/sign-in-servers.ts";
import { tryCheck } from "../testing/try-check.ts";
import { http } from "./http.ts";

/** How an http check says who asks: a real nginx for Basic and certificates, stand-ins for the rest. */

afterEach(closeAll);

const login = { username: "ann", password: "sesame secret" };

describe.skipIf(!areInstalled("nginx", "openssl"))("nginx", () => {
  let certificates: Certificates | undefined;
  let nginx: NginxServer | undefined;
  beforeAll(async () => {
    certificates = makeCertificates();
    nginx = await startNginx({
      files: { "index.html": "<h1>welcome</h1>", "private/x": "inside" },
      login,
      ...(certificates && { certificates }),
    });
  });
  afterAll(async () => {
    await nginx?.stop();
    certificates?.remove();
  });
  const at = (path: string) => `http://127.0.0.1:${nginx?.port}${path}`;

  test("a name and a password", async () => {
    const url = at("/private/x");
    expect(await tryCheck(http, { url, ...login, responseContent: "inside" })).toMatchObject({
      pass: true,
    });
    const wrong = await tryCheck(http, { url, ...login, password: "wrong password" });
    expect(wrong.error).toBe("answered 401, wanted 2xx");
    expect(JSON.stringify(wrong)).not.toContain("wrong password");
  });

  test("a certificate", async () => {
    if (!certificates) throw new Error("no certificates were made");
    const { ca, cert, key } = certificates;
    const url = `https://localhost:${nginx?.tlsPort}/index.html`;
    expect(
      await tryCheck(http, { url, tlsConfig: { ca, cert, key }, maxSSLExpiry: 10 }),
    ).toMatchObject({ pass: true, details: { code: 200 } });
    const without = await tryCheck(http, { url, tlsConfig: { ca } });
    expect(without.error).toBe("answered 400, wanted 2xx");
    const broken = await tryCheck(http, { url, tlsConfig: { ca, cert, key: "garbage" } });
    expect(broken.error).toContain("the TLS settings cannot be used");
    expect((await tryCheck(http, { url, tlsConfig: { cert, key } })).error).toContain(
      "comes from an unknown authority",
    );
  });

  test("redirects are followed, or not", async () => {
    expect(await tryCheck(http, { url: at("/moved") })).toMatchObject({
      pass: true,
      details: { code: 200, address: at("/index.html") },
    });
    expect(await tryCheck(http, { url: at("/moved"), maxRedirects: 0 })).toMatchObject({
      pass: false,
      error: "answered 302, wanted 2xx",
    });
  });

  test("too many requests", async () => {
    expect((await tryCheck(http, { url: at("/busy") })).error).toBe(
      "answered 429, wanted 2xx; it asks to wait 30s",
    );
  });
});

describe("stand-ins", () => {
  test.each([
    [
      "ntlm",
      { ntlm: true, username: String.raw`SHOP\ann` },
      ntlmServer({ ...login, domain: "SHOP" }),
    ],
    [
      "ntlmv2, as the form editor writes it",
      {
        ntlmv2: true,
        authentication: { username: String.raw`SHOP\ann`, password: login.password },
      },
      ntlmServer({ ...login, domain: "SHOP" }),
    ],
    ["digest", { digest: true }, digestServer(login)],
  ] as const)("%s", async (_name, spec, handler) => {
    const { url } = await serve(handler);
    const good = "authentication" in spec ? spec : { ...login, ...spec };
    const outcome = await tryCheck(http, { url, ...good, responseContent: "hello" });
    expect(outcome).toMatchObject({ pass: true, details: { code: 200 } });
    const wrong = await tryCheck(http, { url, ...good, authentication: undefined, password: "no" });
    expect(wrong.error).toBe("answered 401, wanted 2xx");
  });

  test("oauth2: name and password are the client; its token is not shown", async () => {
    const tokens = tokenServer({ clientId: "shop", clientSecret: "sesame secret" });
    const { url } = await serve(tokens.handler);
    const spec = {
      url,
      username: "shop",
      password: "sesame secret",
      oauth2: { tokenURL: `${url}/token`, scope: ["read"], params: { audience: "a" } },
    };
    const outcome = await tryCheck(http, spec);
    expect(outcome.pass).toBe(true);
    expect(tokens.seen[0]?.form).toMatchObject({ scope: "read", audience: "a" });
    const [token] = tokens.good;
    expect(JSON.stringify(outcome)).not.toContain(token);
    expect(JSON.stringify(outcome)).toContain("[hidden]");
    const wrong = await tryCheck(http, { ...spec, password: "another secret" });
    expect(wrong.error).toMatch(
      /gave no token: it answered 401 \(invalid_client: no such client\)$/,
    );
    expect(JSON.stringify(wrong)).not.toContain("another secret");
  });
});

test.each<[string, object, string]>([
  ["ntlm", { ntlm: true }, "ntlm needs a username and a password"],
  ["digest", { digest: true }, "digest needs a username and a password"],
  [
    "oauth2",
    { oauth2: { tokenURL: "http://a/" } },
    "OAuth 2 needs a client id and a client secret",
  ],
  [
    "oauth2 without an endpoint",
    { ...login, oauth2: { tokenURL: "file:///x" } },
    "OAuth 2 needs a tokenURL that is an http or https address",
  ],
  ["awsSigV4", { awsSigV4: {} }, "awsSigV4 needs an accessKey and a secretKey"],
  [
    "awsSigV4 without a place",
    { awsSigV4: { accessKey: "a", secretKey: "b" } },
    "awsSigV4 needs a region and a service",
  ],
])("%s that cannot be meant", async (_name, spec, error) => {
  expect(await tryCheck(http, { url: "http://127.0.0.1:1/", ...spec })).toMatchObject({
    pass: false,
    invalid: true,
    error,
  });
});
