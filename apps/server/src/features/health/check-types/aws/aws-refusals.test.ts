import { afterEach, describe, expect, test } from "vitest";
import { type Listening, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { type AwsBehaviour, refuse, serveAws } from "#platform/outbound/aws/testing/aws-server.ts";
import { awsConfigRule } from "../aws-config-rule/aws-config-rule.ts";
import { awsConfig } from "../aws-config/aws-config.ts";
import type { CheckOutcome } from "../check-type.ts";
import { cloudwatch } from "../cloudwatch/cloudwatch.ts";
import { ec2 } from "../ec2/ec2.ts";
import { tryCheck } from "../testing/try-check.ts";

/** What every check of Amazon says where it is not let in, against the stand-in that verifies signatures. */

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const key = { accessKey: "AKIDEXAMPLE", secretKey: "sesame/secret+key" };
type Try = (spec: object, options?: { timeoutMs: number }) => Promise<CheckOutcome>;
const types: readonly [string, Try][] = [
  [
    "awsConfig",
    (spec, options) => tryCheck(awsConfig, { query: "SELECT resourceId", ...spec }, options),
  ],
  ["awsConfigRule", (spec, options) => tryCheck(awsConfigRule, spec, options)],
  ["cloudwatch", (spec, options) => tryCheck(cloudwatch, spec, options)],
  ["ec2", (spec, options) => tryCheck(ec2, { ami: "ami-1", ...spec }, options)],
];

describe.each(types)("%s", (_type, attempt) => {
  const start = async (more: Partial<AwsBehaviour> = {}) => {
    const server = await serveAws({ keys: [key], answer: () => ({}), ...more });
    open.push(server);
    const spec = { ...key, region: "eu-central-1", endpoint: server.url };
    return { server, spec };
  };

  test.each<[string, object, RegExp]>([
    [
      "an access key that is not known",
      { accessKey: "AKIDANOTHER" },
      /refused: the access key is not known: /,
    ],
    [
      "the secret key of another",
      { secretKey: "sesame/another" },
      /refused: the secret key does not fit the access key: SignatureDoesNotMatch/,
    ],
  ])("is not let in: %s", async (_name, more, error) => {
    const { server, spec } = await start();
    const outcome = await attempt({ ...spec, ...more });
    expect(outcome).toMatchObject({ pass: false, error: expect.stringMatching(error) as string });
    expect(outcome.invalid).toBeUndefined();
    expect(JSON.stringify(outcome)).not.toContain("sesame");
    expect(server.asked).toEqual([]);
  });

  test("what the service says of the keys is told without them", async () => {
    const answer = () => refuse("AccessDenied", `${key.secretKey} may not do this`, 403);
    const { spec } = await start({ answer });
    const outcome = await attempt(spec);
    expect(outcome.error).toMatch(/refused: not allowed: AccessDenied: \[hidden\] may not do this/);
    expect(JSON.stringify(outcome)).not.toContain("sesame");
  });

  test("asked too often, to the end", async () => {
    const { spec } = await start({ throttled: 1000 });
    expect((await attempt(spec)).error).toMatch(/refused: asked too often: .*Rate exceeded/);
  });

  test("a service that is silent ends with the time", async () => {
    const silent = await listenTcp((socket) => void socket.resume());
    open.push(silent);
    const { spec } = await start();
    const endpoint = `http://127.0.0.1:${silent.port}`;
    expect(await attempt({ ...spec, endpoint }, { timeoutMs: 400 })).toMatchObject({
      pass: false,
      error: "timed out after 400 ms",
    });
  });

  test.each<[string, object, RegExp]>([
    ["no key", { accessKey: undefined }, /accessKey and secretKey are missing/],
    ["no region", { region: undefined }, /the region is missing/],
    ["no such region", { region: "eu/../x" }, /is not the name of a region/],
  ])("%s is a wrong document", async (_name, more, error) => {
    const { server, spec } = await start();
    const outcome = await attempt({ ...spec, ...more });
    expect(outcome).toMatchObject({ pass: false, invalid: true });
    expect(outcome.error).toMatch(error);
    expect(server.asked).toEqual([]);
  });
});
