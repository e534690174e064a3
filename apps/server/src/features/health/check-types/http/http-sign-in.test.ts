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
import {
  type AwsBehaviour,
  type AwsServer,
  refuse,
  serveAws,
} from "#platform/outbound/aws/testing/aws-server.ts";
import { alertmanager } from "../alertmanager/alertmanager.ts";
import { opensearch } from "../opensearch/opensearch.ts";
import { prometheus } from "../prometheus/prometheus.ts";
import { assumedRole } from "../testing/start-s3.ts";
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

describe("a role of Amazon's", () => {
  const key = { accessKey: "AKIDEXAMPLE", secretKey: "sesame/secret+key" };
  const lent = { accessKey: "ASIALENT", secretKey: "sesame/lent", sessionToken: "sesame/t" };
  const arn = "arn:aws:iam::1:role/audit";

  /** The service and the one that lends roles, in one stand-in that judges signatures. */
  async function start(more: Partial<AwsBehaviour> = {}) {
    const server = await serveAws({
      keys: [key, lent],
      answer: ({ service, parameters }) =>
        service !== "sts"
          ? `<Hello>${lent.sessionToken}</Hello>`
          : parameters.RoleArn === arn
            ? assumedRole(lent)
            : refuse("AccessDenied", "User is not authorized to perform: sts:AssumeRole", 403),
      ...more,
    });
    servers.push(server);
    const spec = (assumeRole: string) => ({
      url: `${server.url}/`,
      method: "POST",
      body: "Action=Hello",
      awsSigV4: {
        ...key,
        region: "eu-central-1",
        service: "aps",
        endpoint: server.url,
        assumeRole,
      },
    });
    return { server, spec };
  }
  const servers: AwsServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  test("is taken on before a request is signed, and what it lends is not shown", async () => {
    const { server, spec } = await start({ throttled: 1 });
    const outcome = await tryCheck(http, spec(arn));
    expect(outcome).toMatchObject({ pass: true, details: { content: "<Hello>[hidden]</Hello>" } });
    expect(server.asked).toMatchObject([
      { service: "sts", who: key.accessKey, parameters: { RoleArn: arn } },
      { service: "aps", who: lent.accessKey },
    ]);
    expect(JSON.stringify([outcome, outcome.data!().content])).not.toContain("sesame");
  });

  test("that may not be taken on, and one that is asked for too often", async () => {
    const { spec, server } = await start();
    const refused = await tryCheck(http, spec("arn:aws:iam::1:role/other"));
    expect(refused.error).toMatch(/refused: not allowed: AccessDenied: User is not authorized/);
    expect(server.asked).toHaveLength(1);
    const busy = await start({ throttled: 100 });
    expect((await tryCheck(http, busy.spec(arn))).error).toMatch(/refused: asked too often/);
  });

  test("is taken on by the searches and queries that sign, too", async () => {
    type Spec = { url: string; awsSigV4: object };
    for (const ask of [
      (spec: Spec) => tryCheck(prometheus, { ...spec, query: "up" }),
      (spec: Spec) => tryCheck(alertmanager, spec),
      (spec: Spec) => tryCheck(opensearch, spec),
    ]) {
      const { server, spec } = await start();
      const { url, awsSigV4 } = spec(arn);
      const outcome = await ask({ url, awsSigV4 });
      // The stand-in is none of them; who asked it is what matters.
      expect(outcome.pass).toBe(false);
      expect(server.asked.map(({ who }) => who)).toEqual([key.accessKey, lent.accessKey]);
    }
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
