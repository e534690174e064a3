import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import { exchange } from "#platform/outbound/http/exchange.ts";
import { testConfig } from "../../../testing/app.ts";
import type { Connection } from "../connection.ts";
import { aws, s3 } from "./aws-probes.ts";
import { cloudProbes } from "./cloud-probes.ts";
import type { Probe } from "./probe.ts";
import { serviceProbes } from "./service-probes.ts";

/** Stand-ins for services on hosts of their own, by their public documentation: what whoever is known is answered. */

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();
const keyFile = JSON.stringify({
  client_email: "reader@project.iam.gserviceaccount.com",
  private_key: privateKey,
  project_id: "project",
});

interface Service {
  probe: Probe;
  connection: Partial<Connection>;
  /** Host and path of each request in turn, with the header or body that says who asks. */
  asks: readonly [where: string, who: RegExp][];
  good?: unknown;
  /** What a wrong token is answered. */
  bad?: { code: number; body: unknown };
}

const secret = "s3cr-et/token";
const properties = {};
const services: Readonly<Record<string, Service>> = {
  github: {
    probe: serviceProbes.github!,
    connection: { password: secret },
    asks: [["api.github.com/user", /authorization: Bearer s3cr-et\/token/]],
    bad: { code: 401, body: { message: "Bad credentials" } },
  },
  gitlab: {
    probe: serviceProbes.gitlab!,
    connection: { password: secret },
    asks: [["gitlab.com/api/v4/user", /private-token: s3cr-et\/token/]],
    bad: { code: 401, body: { message: "401 Unauthorized" } },
  },
  azure_devops: {
    probe: serviceProbes.azure_devops!,
    connection: { username: "shop", password: secret },
    asks: [
      ["dev.azure.com/shop/_apis/connectionData", /authorization: Basic OnMzY3ItZXQvdG9rZW4=/],
    ],
    bad: { code: 203, body: "<html>Sign In</html>" },
  },
  slack: {
    probe: serviceProbes.slack!,
    connection: { password: secret },
    asks: [["slack.com/api/auth.test", /authorization: Bearer s3cr-et\/token/]],
    good: { ok: true },
    bad: { code: 200, body: { ok: false, error: "invalid_auth" } },
  },
  telegram: {
    probe: serviceProbes.telegram!,
    connection: { password: "123:abc" },
    asks: [["api.telegram.org/bot123:abc/getMe", /./]],
    good: { ok: true },
    bad: { code: 401, body: { ok: false, description: "Unauthorized" } },
  },
  discord: {
    probe: serviceProbes.discord!,
    connection: { username: "77", password: "tok" },
    asks: [["discord.com/api/webhooks/77/tok", /./]],
    bad: { code: 404, body: { message: "Unknown Webhook" } },
  },
  pushbullet: {
    probe: serviceProbes.pushbullet!,
    connection: { password: secret },
    asks: [["api.pushbullet.com/v2/users/me", /access-token: s3cr-et\/token/]],
    bad: { code: 401, body: { error: { message: "Access token is missing or invalid." } } },
  },
  pushover: {
    probe: serviceProbes.pushover!,
    connection: { username: "user-key", password: secret },
    asks: [["api.pushover.net/1/users/validate.json", /token=s3cr-et%2Ftoken&user=user-key/]],
    good: { status: 1 },
    bad: { code: 400, body: { status: 0, errors: ["invalid"] } },
  },
  opsgenie: {
    probe: serviceProbes.opsgenie!,
    connection: { password: secret },
    asks: [["api.opsgenie.com/v2/heartbeats", /authorization: GenieKey s3cr-et\/token/]],
    bad: { code: 422, body: { message: "Key format is not valid!" } },
  },
  matrix: {
    probe: serviceProbes.matrix!,
    connection: { password: secret, properties: { host: "matrix.example.com" } },
    asks: [["matrix.example.com/_matrix/client/v3/account/whoami", /authorization: Bearer/]],
    bad: { code: 401, body: { errcode: "M_UNKNOWN_TOKEN", error: "Invalid token" } },
  },
  ntfy: {
    probe: serviceProbes.ntfy!,
    connection: { username: "ann", password: secret, properties: { host: "ntfy.example.com" } },
    asks: [["ntfy.example.com/v1/account", /authorization: Basic/]],
    bad: { code: 401, body: { error: "unauthorized" } },
  },
  zulip_chat: {
    probe: serviceProbes.zulip_chat!,
    connection: { username: "bot@x", password: secret, properties: { host: "zulip.example.com" } },
    asks: [["zulip.example.com/api/v1/users/me", /authorization: Basic/]],
    bad: { code: 401, body: { msg: "Invalid API key" } },
  },
  dynatrace: {
    probe: serviceProbes.dynatrace!,
    connection: {
      url: "abc.live.dynatrace.com",
      password: secret,
      properties: { scheme: "https" },
    },
    asks: [["abc.live.dynatrace.com/api/v2/problems?pageSize=1", /authorization: Api-Token s3cr/]],
    bad: { code: 401, body: { error: { code: 401, message: "Token Authentication failed" } } },
  },
  openai: {
    probe: serviceProbes.openai!,
    connection: { password: secret },
    asks: [["api.openai.com/v1/models", /authorization: Bearer/]],
    bad: { code: 401, body: { error: { message: "Incorrect API key provided" } } },
  },
  anthropic: {
    probe: serviceProbes.anthropic!,
    connection: { password: secret },
    asks: [["api.anthropic.com/v1/models", /x-api-key: s3cr/]],
    bad: { code: 401, body: { error: { message: "invalid x-api-key" } } },
  },
  gemini: {
    probe: serviceProbes.gemini!,
    connection: { password: secret },
    asks: [["generativelanguage.googleapis.com/v1beta/models", /x-goog-api-key: s3cr/]],
    bad: { code: 400, body: { error: { message: "API key not valid." } } },
  },
  ollama: {
    probe: serviceProbes.ollama!,
    connection: { password: secret },
    asks: [["localhost:11434/api/tags", /authorization: Bearer s3cr/]],
    bad: { code: 401, body: { error: "unauthorized" } },
  },
  azure: {
    probe: cloudProbes.azure!,
    connection: { username: "id", password: secret, properties: { tenant: "contoso" } },
    asks: [
      ["login.microsoftonline.com/contoso/oauth2/v2.0/token", /client_secret=s3cr-et%2Ftoken/],
    ],
    good: { access_token: "t" },
    bad: { code: 401, body: { error_description: "AADSTS7000215: Invalid client secret" } },
  },
  google_cloud: {
    probe: cloudProbes.google_cloud!,
    connection: { url: "https://www.googleapis.com", certificate: keyFile },
    asks: [
      ["oauth2.googleapis.com/token", /assertion=eyJ/],
      ["cloudresourcemanager.googleapis.com/v1/projects?pageSize=1", /authorization: Bearer t/],
    ],
    good: { access_token: "t" },
    bad: { code: 400, body: { error_description: "Invalid JWT Signature." } },
  },
  gcs: {
    probe: cloudProbes.gcs!,
    connection: { certificate: keyFile, properties: { bucket: "b" } },
    asks: [
      ["oauth2.googleapis.com/token", /assertion=eyJ/],
      ["storage.googleapis.com/storage/v1/b/b", /authorization: Bearer t/],
    ],
    good: { access_token: "t" },
    bad: { code: 400, body: { error_description: "Invalid JWT Signature." } },
  },
  aws: {
    probe: aws,
    connection: { username: "AKIA", password: secret, properties: { region: "eu-west-1" } },
    asks: [
      [
        "sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        /authorization: AWS4-HMAC-SHA256 Credential=AKIA\/\d+\/eu-west-1\/sts/,
      ],
    ],
    bad: { code: 403, body: { message: "The security token included in the request is invalid." } },
  },
  s3: {
    probe: s3,
    connection: { username: "AKIA", password: secret, properties: { bucket: "b" } },
    asks: [
      [
        "s3.us-east-1.amazonaws.com/b?list-type=2&max-keys=1",
        /authorization: AWS4-HMAC-SHA256 Credential=AKIA\/\d+\/us-east-1\/s3/,
      ],
    ],
    bad: { code: 403, body: { message: "SignatureDoesNotMatch" } },
  },
};

let standIn: Listening;
let asked: { where: string; who: string }[] = [];
/** Nothing: it is silent. */
let answer: { code: number; body: unknown } | undefined;
beforeAll(async () => {
  standIn = await listenHttp((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("end", () => {
      const headers = Object.entries(request.headers).map(
        ([name, value]) => `${name}: ${String(value)}`,
      );
      asked.push({
        where: `${String(request.headers["x-host"])}${request.url}`,
        who: [...headers, Buffer.concat(parts).toString()].join("\n"),
      });
      if (!answer) return;
      const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.code, { "content-type": "application/json" }).end(text);
    });
  });
});
afterAll(() => standIn.close());

/** As the real thing, but that every host is the stand-in. */
function run(
  { probe, connection }: Service,
  signal: AbortSignal = AbortSignal.timeout(10_000),
): Promise<void> {
  const connector = createConnector();
  return probe({
    connection: {
      name: "x",
      namespace: "default",
      type: "",
      insecureTls: false,
      properties,
      ...connection,
    },
    config: testConfig(),
    connector,
    signal,
    send({ url, headers, ...request }) {
      const address = new URL(`http://127.0.0.1:${standIn.port}${url.pathname}${url.search}`);
      return exchange(
        { ...request, url: address, headers: { ...headers, "x-host": url.host } },
        { signal, connector },
      );
    },
  });
}

test.each(Object.entries(services))(
  "%s: whoever is known is asked for and let in",
  async (_, service) => {
    asked = [];
    answer = { code: 200, body: service.good ?? { id: 1 } };
    await run(service);
    expect(asked.map(({ where }) => where)).toEqual(service.asks.map(([where]) => where));
    for (const [index, [, who]] of service.asks.entries()) expect(asked[index]!.who).toMatch(who);
  },
);

test.each(Object.entries(services))(
  "%s: a wrong secret is refused in the service's words",
  async (_, service) => {
    answer = service.bad!;
    const { message } = (await run(service).catch((error: unknown) => error)) as Error;
    expect(message).toMatch(/answered \d+|refused/);
    expect(message).not.toMatch(/s3cr/);
    const said = JSON.stringify(service.bad!.body);
    const words = /: (.+)\.$|refused: (.+)$/.exec(message)?.slice(1).find(Boolean);
    if (words && !words.startsWith("it does not know"))
      expect(said).toContain(words.replace(/\.$/, ""));
  },
);

test.each(Object.entries(services))("%s: an endless answer and garbage end", async (_, service) => {
  answer = { code: 500, body: "x".repeat(3_000_000) };
  await expect(run(service)).rejects.toThrow(/answered 500\.$/);
});

test.each(Object.entries(services))("%s: silence ends with the time", async (_, service) => {
  answer = undefined;
  const { name } = (await run(service, AbortSignal.timeout(100)).catch(
    (error: unknown) => error,
  )) as Error;
  expect(name).toBe("TimeoutError");
});

test("what is missing is said before anything is sent", async () => {
  asked = [];
  for (const [probe, connection, message] of [
    [cloudProbes.gcs!, { certificate: "{}" }, /key file of a service account/],
    [cloudProbes.gcs!, { certificate: keyFile.replace(/BEGIN/, "BEGUN") }, /private key/],
    [cloudProbes.azure!, {}, /no tenant/],
    [aws, {}, /no access key/],
    [s3, { username: "a", password: "b" }, /no bucket/],
    [serviceProbes.http!, { url: "nowhere" }, /cannot be read/],
  ] as const)
    await expect(run({ probe, connection, asks: [] })).rejects.toThrow(message);
  expect(asked).toEqual([]);
});
