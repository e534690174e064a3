import { generateKeyPairSync } from "node:crypto";
import { listenHttp } from "@mainstay/testkit/servers/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveAws } from "#platform/outbound/aws/testing/aws-server.ts";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { startGoogle } from "./check-types/testing/google-stand-in.ts";
import { startS3 } from "./check-types/testing/start-s3.ts";

/** Tries of connections to clouds, through the address that consoles use: against s3rver and stand-ins that judge signatures. */

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

let made = 0;
async function tried(row: Record<string, unknown>): Promise<[number, string]> {
  const { json, text } = await app.admin.post(
    "/api/db/connections",
    { name: `c-${(made += 1)}`, ...row },
    { prefer: "return=representation" },
  );
  expect(json?.[0]?.id, text).toBeTypeOf("string");
  const reply = await app.admin.post(`/api/connection/test/${json[0].id}`);
  expect(reply.text).not.toMatch(/wrong-one|PRIVATE KEY/);
  return [reply.status, reply.json.message];
}
const ok = [200, "ok"];
const refused = (why: RegExp) => [400, expect.stringMatching(why)];

test("aws: who the keys are is asked for, signed", async () => {
  const answer = `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>1</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const server = await serveAws({
    keys: [{ accessKey: "AKIDEXAMPLE", secretKey: "right-one" }],
    answer: () => answer,
  });
  const properties = { region: "eu-central-1" };
  const row = { type: "aws", url: server.url, username: "AKIDEXAMPLE", properties };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(server.asked).toMatchObject([
    { service: "sts", region: "eu-central-1", parameters: { Action: "GetCallerIdentity" } },
  ]);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(
    refused(/answered 403: The request signature we calculated does not match/),
  );
  expect(await tried({ ...row, username: "AKIDOTHER", password: "wrong-one" })).toEqual(
    refused(/answered 400: The security token included in the request is invalid/),
  );
  await server.close();
});

test("s3: one name of the bucket of s3rver", async () => {
  const server = await startS3(["backups"]);
  const row = (bucket: string, password: string) => ({
    type: "s3",
    url: server.endpoint,
    username: server.accessKey,
    password,
    properties: { bucket, region: "eu-central-1" },
  });
  expect(await tried(row("backups", server.secretKey))).toEqual(ok);
  expect(await tried(row("backups", "wrong-one"))).toEqual(refused(/answered 403/));
  expect(await tried(row("other", server.secretKey))).toEqual(refused(/answered 404/));
  await server.stop();
});

describe("Google", () => {
  test.each<[string, object, RegExp]>([
    ["gcs", { bucket: "dumps" }, /b\/dumps$/],
    ["google_cloud", {}, /^\/v1\/projects/],
  ])("%s: a key that signs for a token, which asks", async (type, properties, asked) => {
    const server = await startGoogle({ buckets: { dumps: [] } });
    const row = { type, url: server.endpoint, properties };
    expect(await tried({ ...row, certificate: server.credentials })).toEqual(ok);
    expect(server.asked).toEqual([expect.stringMatching(asked)]);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const foreign = JSON.stringify({
      ...(JSON.parse(server.credentials) as object),
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    });
    expect(await tried({ ...row, certificate: foreign })).toEqual(
      refused(/answered 400: Invalid JWT Signature/),
    );
    server.failNext(429, { error: { message: "rateLimitExceeded" } });
    expect(await tried({ ...row, certificate: server.credentials })).toEqual(
      refused(/answered 429: rateLimitExceeded/),
    );
    await server.close();
  });
});

/** As the public documentation of each says who asks, and what a stranger is answered. */
test.each<[string, object, string, (password: string) => [name: string, value: string], number]>([
  ["github", {}, "/user", (token) => ["authorization", `Bearer ${token}`], 401],
  ["gitlab", {}, "/api/v4/user", (token) => ["private-token", token], 401],
  [
    "azure_devops",
    { username: "shop" },
    "/shop/_apis/connectionData",
    (token) => ["authorization", `Basic ${btoa(`:${token}`)}`],
    203,
  ],
  [
    "dynatrace",
    { properties: { scheme: "http" } },
    "/api/v2/problems?pageSize=1",
    (token) => ["authorization", `Api-Token ${token}`],
    401,
  ],
])("%s: a stand-in at an address of its own", async (type, more, path, who, stranger) => {
  const [name, value] = who("right-one");
  const server = await listenHttp((request, response) => {
    if (request.url !== path) return response.writeHead(404).end();
    if (request.headers[name] === value) return response.end("{}");
    const said = `I do not know ${String(request.headers[name])}`;
    return response
      .writeHead(stranger, { "content-type": "application/json" })
      .end(stranger === 203 ? `<html>${said}` : JSON.stringify({ message: said }));
  });
  const row = { type, url: `http://127.0.0.1:${server.port}`, ...more };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  const [status, message] = await tried({ ...row, password: "wrong-one" });
  expect([status, message]).toEqual(
    refused(/answered 401: I do not know .*\[hidden\]|does not know this personal access token/),
  );
  expect(message).not.toContain(btoa(":wrong-one"));
  await server.close();
});

test("azure: the token of an application", async () => {
  const server = await listenHttp((request, response) => {
    let form = "";
    request.on("data", (part) => (form += String(part)));
    request.on("end", () => {
      const isKnown = new URLSearchParams(form).get("client_secret") === "right-one";
      if (request.url !== "/contoso/oauth2/v2.0/token") return response.writeHead(404).end();
      return response
        .writeHead(isKnown ? 200 : 401, { "content-type": "application/json" })
        .end(
          JSON.stringify(
            isKnown
              ? { token_type: "Bearer", access_token: "t" }
              : { error: "invalid_client", error_description: "AADSTS7000215: Invalid secret" },
          ),
        );
    });
  });
  const row = {
    type: "azure",
    url: `http://127.0.0.1:${server.port}`,
    username: "app",
    properties: { tenant: "contoso" },
  };
  expect(await tried({ ...row, password: "right-one" })).toEqual(ok);
  expect(await tried({ ...row, password: "wrong-one" })).toEqual(
    refused(/answered 401: AADSTS7000215: Invalid secret/),
  );
  await server.close();
});
