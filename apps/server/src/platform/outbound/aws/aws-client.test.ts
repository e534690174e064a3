import { afterEach, expect, test, vi } from "vitest";
import { testConfig } from "../../../testing/app.ts";
import { readXml } from "../../xml/read-xml.ts";
import { openConnector } from "../open-connector.ts";
import { awsSession } from "./aws-client.ts";
import { awsObject } from "./aws-value.ts";
import { type AwsServer, refuse, serveAws } from "./testing/aws-server.ts";

// Amazon is not on this machine: a stand-in verifies the signatures and answers in the real wire formats.

let server: AwsServer | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = undefined;
});

const own = { accessKey: "AKIDEXAMPLE", secretKey: "sesame" };
const lent = { accessKey: "ASIALENT", secretKey: "lent", sessionToken: "lent-session-token" };
const given = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>${lent.accessKey}</AccessKeyId>
  <SecretAccessKey>${lent.secretKey}</SecretAccessKey><SessionToken>${lent.sessionToken}</SessionToken>
  </Credentials></AssumeRoleResult></AssumeRoleResponse>`;

test("a role that could not be taken on again is asked for by whoever asks next", async () => {
  let isRefused = false;
  server = await serveAws({
    keys: [own, lent],
    answer: ({ service }) => {
      if (service !== "sts") return { ok: true };
      return isRefused ? refuse("AccessDenied", "not now") : given;
    },
  });
  const session = await awsSession(
    {
      credentials: own,
      region: "eu-west-1",
      endpoint: server.url,
      assumeRole: "arn:aws:iam::1:role/r",
    },
    { signal: AbortSignal.timeout(60_000), connector: openConnector(testConfig()) },
  );
  const ask = () => session.in("eu-west-1").json({ name: "config" }, "Config.Ask", {});
  expect(await ask()).toEqual({ ok: true });

  // What was lent has ended.
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 800_000);
  isRefused = true;
  await expect(ask()).rejects.toThrow("not allowed");
  isRefused = false;
  expect(await ask()).toEqual({ ok: true });
  expect(server.asked.at(-1)?.who).toBe(lent.accessKey);
});

test("members with names of what every object has are members", () => {
  const object = awsObject(
    readXml("<r><toString>a</toString><constructor>b</constructor><__proto__>c</__proto__></r>"),
  );
  expect(Object.entries(object)).toEqual([
    ["toString", "a"],
    ["constructor", "b"],
    ["__proto__", "c"],
  ]);
});

test("a member that comes again and again is one list, in the time of one", () => {
  const many = 50_000;
  const object = awsObject(readXml(`<r>${"<a>1</a>".repeat(many)}<b>2</b></r>`));
  expect(object.a).toHaveLength(many);
  expect(object.b).toBe("2");
});

test("JSON without a bottom is none, and a refusal repeats no secret that was lent", async () => {
  let deep: object = {};
  for (let depth = 0; depth < 1000; depth += 1) deep = { a: deep };
  server = await serveAws({
    keys: [own, lent],
    answer: ({ service, action }) => {
      if (service === "sts") return given;
      if (action.endsWith("Deep")) return deep;
      return refuse("SignatureDoesNotMatch", `x-amz-security-token:${lent.sessionToken} of you`);
    },
  });
  const session = await awsSession(
    {
      credentials: own,
      region: "eu-west-1",
      endpoint: server.url,
      assumeRole: "arn:aws:iam::1:role/r",
    },
    { signal: AbortSignal.timeout(60_000), connector: openConnector(testConfig()) },
  );
  const ask = (action: string) => session.in("eu-west-1").json({ name: "config" }, action, {});
  await expect(ask("Config.Deep")).rejects.toThrow("nests too deeply");
  await expect(ask("Config.Other")).rejects.toThrow("x-amz-security-token:[hidden] of you");
});
