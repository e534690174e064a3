import { afterEach, describe, expect, test } from "vitest";
import {
  freePort,
  listenHttp,
  listenTcp,
  type Listening,
} from "@mainstay/testkit/servers/index.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import {
  type AwsBehaviour,
  type AwsServer,
  refuse,
  serveAws,
} from "#platform/outbound/aws/testing/aws-server.ts";
import { awsConfigRule } from "../aws-config-rule/aws-config-rule.ts";
import { awsConfig } from "../aws-config/aws-config.ts";
import { cloudwatch } from "../cloudwatch/cloudwatch.ts";
import { ec2 } from "../ec2/ec2.ts";
import { exec } from "../exec/exec.ts";
import { assumedRole } from "../testing/start-s3.ts";
import { tryCheck } from "../testing/try-check.ts";

// Amazon is not on this machine: a stand-in verifies the signatures and answers in the real wire formats.

const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const key = { accessKey: "AKIDEXAMPLE", secretKey: "sesame/secret+key" };
async function serve(
  answer: AwsBehaviour["answer"],
  more: Partial<AwsBehaviour> = {},
): Promise<AwsServer> {
  const server = await serveAws({ keys: [key], answer, ...more });
  open.push(server);
  return server;
}
const access = ({ url }: { url: string }) => ({ ...key, region: "eu-central-1", endpoint: url });

describe("awsConfig", () => {
  const query = "SELECT resourceId WHERE resourceType = 'AWS::EC2::Instance'";

  test("gives what is found as texts, over pages, signed for the service", async () => {
    const server = await serve(({ parameters }) =>
      parameters.NextToken === undefined
        ? { Results: ['{"resourceId":"i-1"}'], NextToken: "two", QueryInfo: {} }
        : { Results: ['{"resourceId":"i-2"}'] },
    );
    const outcome = await tryCheck(awsConfig, { ...access(server), query });
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^2 resources in/) as string,
      details: { count: 2, results: ['{"resourceId":"i-1"}', '{"resourceId":"i-2"}'] },
    });
    expect(outcome.data?.()).toEqual({
      results: ['{"resourceId":"i-1"}', '{"resourceId":"i-2"}'],
    });
    expect(server.asked).toMatchObject([
      {
        service: "config",
        region: "eu-central-1",
        action: "SelectResourceConfig",
        parameters: { Expression: query },
      },
      { parameters: { NextToken: "two" } },
    ]);
  });

  test("asks an aggregator", async () => {
    const server = await serve(() => ({ Results: [] }));
    const spec = { ...access(server), query, aggregatorName: "all" };
    expect(await tryCheck(awsConfig, spec)).toMatchObject({ pass: true, details: { count: 0 } });
    expect(server.asked).toMatchObject([
      {
        action: "SelectAggregateResourceConfig",
        parameters: { ConfigurationAggregatorName: "all" },
      },
    ]);
  });

  test("results without end are not waited for", async () => {
    const page = Array.from({ length: 100 }, (_, at) =>
      JSON.stringify({ at, x: "x".repeat(1000) }),
    );
    const server = await serve(() => ({ Results: page, NextToken: "more" }));
    const outcome = await tryCheck(awsConfig, { ...access(server), query });
    expect(outcome).toMatchObject({ pass: true, details: { count: 1000 } });
    expect(outcome.details?.note).toMatch(/at least 1000 were found/);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(131_072);
  });

  test.each<[string, () => Promise<AwsServer>, object, RegExp]>([
    [
      "an access key that is not known",
      () => serve(() => ({})),
      { accessKey: "AKIDANOTHER" },
      /refused: the access key is not known: UnrecognizedClientException/,
    ],
    [
      "a secret key of another",
      () => serve(() => ({})),
      { secretKey: "sesame/another" },
      /refused: the secret key does not fit the access key: SignatureDoesNotMatch/,
    ],
    [
      "a token that has expired",
      () => serve(() => refuse("ExpiredTokenException", "The security token is expired")),
      {},
      /refused: the session token has expired: ExpiredTokenException/,
    ],
    [
      "no right to",
      () =>
        serve(() =>
          refuse("AccessDeniedException", "User is not authorized to perform config:Select"),
        ),
      {},
      /refused: not allowed: AccessDeniedException: User is not authorized/,
    ],
    [
      "a query that is none",
      () => serve(() => refuse("InvalidExpressionException", "Syntax error near FROM")),
      {},
      /refused: InvalidExpressionException: Syntax error near FROM/,
    ],
    [
      "throttling without end",
      () => serve(() => ({}), { throttled: 1000 }),
      {},
      /refused: asked too often: ThrottlingException: Rate exceeded/,
    ],
    [
      "a message with the secret in it",
      () => serve(() => refuse("ValidationException", "sesame/secret+key is wrong")),
      {},
      /\[hidden\] is wrong/,
    ],
    ["an answer without results", () => serve(() => ({ a: 1 })), {}, /holds no results/],
    ["an answer that is no JSON", () => serve(() => "<a/>"), {}, /does not answer in JSON/],
  ])("fails: %s", async (_name, make, more, error) => {
    const server = await make();
    const outcome = await tryCheck(awsConfig, { ...access(server), query, ...more });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    expect(JSON.stringify(outcome)).not.toMatch(/sesame/);
  });

  test("a throttling now and then is waited for", async () => {
    const server = await serve(() => ({ Results: ["{}"] }), { throttled: 2 });
    expect(await tryCheck(awsConfig, { ...access(server), query })).toMatchObject({ pass: true });
  });

  test("credentials that are lent are sent along and signed", async () => {
    const lent = { ...key, sessionToken: "sesame/token" };
    const server = await serve(() => ({ Results: [] }), { keys: [lent] });
    const spec = { ...access(server), query };
    expect(await tryCheck(awsConfig, { ...spec, sessionToken: lent.sessionToken })).toMatchObject({
      pass: true,
    });
    expect(await tryCheck(awsConfig, spec)).toMatchObject({
      pass: false,
      error: expect.stringContaining("the access key is not known") as string,
    });
  });

  test.each<[string, object, RegExp]>([
    ["no key", { accessKey: undefined }, /accessKey and secretKey are missing/],
    ["no region", { region: undefined }, /the region is missing/],
    ["no such region", { region: "eu/../x" }, /is not the name of a region/],
  ])("%s is a wrong document", async (_name, more, error) => {
    const spec = { ...access({ url: "http://127.0.0.1:1" }), query, ...more };
    const outcome = await tryCheck(awsConfig, spec as never);
    expect(outcome).toMatchObject({ pass: false, invalid: true });
    expect(outcome.error).toMatch(error);
  });

  test("nobody there, nobody allowed there, silence, another answer", async () => {
    const port = await freePort();
    const spec = { ...access({ url: `http://127.0.0.1:${port}` }), query };
    expect(await tryCheck(awsConfig, spec)).toMatchObject({
      error: `connection refused by 127.0.0.1:${port}`,
    });
    const connector = createConnector({ deny: ["127.0.0.0/8"] });
    expect(await tryCheck(awsConfig, spec, { connector })).toMatchObject({
      error: expect.stringContaining("not allowed") as string,
    });
    const silent = await listenTcp((socket) => void socket.resume());
    const html = await listenHttp((_request, response) => void response.writeHead(502).end("<p>"));
    const endless = await listenHttp((_request, response) => {
      const chunk = "x".repeat(65_536);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        response.once("drain", more);
      };
      more();
    });
    open.push(silent, html, endless);
    const at = ({ port: one }: Listening) => ({ ...spec, endpoint: `http://127.0.0.1:${one}` });
    expect(await tryCheck(awsConfig, at(silent), { timeoutMs: 400 })).toMatchObject({
      error: "timed out after 400 ms",
    });
    expect(await tryCheck(awsConfig, at(html))).toMatchObject({
      error: expect.stringContaining("answered 502") as string,
    });
    expect(await tryCheck(awsConfig, at(endless))).toMatchObject({
      error: expect.stringContaining("answered more than") as string,
    });
  });
});

describe("a role", () => {
  const lent = { accessKey: "ASIALENT", secretKey: "sesame/lent", sessionToken: "sesame/t" };
  const assumed = assumedRole(lent);
  const assumeRole = "arn:aws:iam::1:role/audit";

  test("is taken on first", async () => {
    const server = await serve(({ service }) => (service === "sts" ? assumed : { Results: [] }), {
      keys: [key, lent],
    });
    const spec = { ...access(server), query: "SELECT 1", assumeRole };
    expect(await tryCheck(awsConfig, spec)).toMatchObject({ pass: true });
    expect(server.asked).toMatchObject([
      {
        service: "sts",
        action: "AssumeRole",
        who: key.accessKey,
        parameters: { RoleArn: assumeRole },
      },
      { service: "config", who: lent.accessKey },
    ]);
  });

  test("is handed to a script", async () => {
    const server = await serve(() => assumed, { keys: [key, lent] });
    const outcome = await tryCheck(exec, {
      script: 'echo "$AWS_ACCESS_KEY_ID"; echo "$AWS_SECRET_ACCESS_KEY$AWS_SESSION_TOKEN" >&2',
      connections: { aws: { ...access(server), assumeRole } },
    });
    expect(outcome).toMatchObject({ pass: true, message: lent.accessKey });
    expect(outcome.details?.stderr).toBe("[hidden][hidden]");
    expect(JSON.stringify([outcome, outcome.data!()])).not.toMatch(/sesame/);
  });

  test("that may not be taken on", async () => {
    const server = await serve(() =>
      refuse("AccessDenied", "User is not authorized to perform: sts:AssumeRole", 403),
    );
    const spec = { ...access(server), query: "SELECT 1", assumeRole };
    expect(await tryCheck(awsConfig, spec)).toMatchObject({
      pass: false,
      error: expect.stringMatching(/refused: not allowed: AccessDenied: User is not/) as string,
    });
  });
});

describe("awsConfigRule", () => {
  const states = [
    ["encrypted-volumes", "NON_COMPLIANT"],
    ["no-public-buckets", "COMPLIANT"],
    ["tagged", "NON_COMPLIANT"],
  ] as const;
  const answer: AwsBehaviour["answer"] = ({ action, parameters }) => {
    const names = parameters.ConfigRuleNames as string[] | undefined;
    switch (action) {
      case "DescribeComplianceByConfigRule":
        return {
          ComplianceByConfigRules: states
            .filter(([name]) => names === undefined || names.includes(name))
            .map(([ConfigRuleName, ComplianceType]) => ({
              ConfigRuleName,
              Compliance: { ComplianceType },
            })),
        };
      case "DescribeConfigRules":
        return {
          ConfigRules: names?.map((name) => ({
            ConfigRuleName: name,
            Description: `About ${name}.`,
          })),
        };
      case "GetComplianceDetailsByConfigRule":
        return {
          EvaluationResults: [
            {
              Annotation: "no key",
              ComplianceType: "NON_COMPLIANT",
              EvaluationResultIdentifier: {
                EvaluationResultQualifier: {
                  ConfigRuleName: parameters.ConfigRuleName,
                  EvaluationMode: "DETECTIVE",
                  ResourceId: "vol-1",
                  ResourceType: "AWS::EC2::Volume",
                },
              },
              ResultRecordedTime: 1_700_000_000.5,
            },
          ],
        };
      default:
        return refuse("UnknownOperationException", "");
    }
  };

  test("fails while a rule is broken, and says by what", async () => {
    const server = await serve(answer);
    const outcome = await tryCheck(awsConfigRule, access(server));
    expect(outcome).toMatchObject({
      pass: false,
      isDefaultVerdict: true,
      error: "broken: encrypted-volumes, tagged",
    });
    expect((outcome.data!().results as { rules: object[] }).rules[0]).toEqual({
      rule: "encrypted-volumes",
      type: "NON_COMPLIANT",
      description: "About encrypted-volumes.",
      annotation: "no key",
      resources: [
        {
          id: "vol-1",
          annotation: "no key",
          type: "AWS::EC2::Volume",
          recorded: "2023-11-14T22:13:20.500Z",
          mode: "DETECTIVE",
        },
      ],
    });
  });

  test.each<[string, object]>([
    ["other rules", { rules: ["no-public-buckets"] }],
    ["rules that do not count", { ignoreRules: ["tagged", "encrypted-volumes"] }],
  ])("passes: %s", async (_name, more) => {
    const server = await serve(answer);
    expect(await tryCheck(awsConfigRule, { ...access(server), ...more })).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^1 rule, none broken/) as string,
    });
  });

  test("states are asked for, names by twenty-five", async () => {
    const server = await serve(() => ({ ComplianceByConfigRules: [] }));
    const rules = Array.from({ length: 30 }, (_, at) => `rule-${at}`);
    const complianceTypes = ["NON_COMPLIANT" as const];
    await tryCheck(awsConfigRule, { ...access(server), rules, complianceTypes });
    expect(
      server.asked.map(({ parameters }) => (parameters.ConfigRuleNames as string[]).length),
    ).toEqual([25, 5]);
    expect(server.asked[0]?.parameters.ComplianceTypes).toEqual(complianceTypes);
  });

  test("answers of other shapes, and pages without end", async () => {
    const strange = await serve(() => ({ ComplianceByConfigRules: [null, 1, { Compliance: 3 }] }));
    expect(await tryCheck(awsConfigRule, access(strange))).toMatchObject({ pass: true });
    const endless = await serve(() => ({ ComplianceByConfigRules: [], NextToken: "x" }));
    expect(await tryCheck(awsConfigRule, access(endless))).toMatchObject({ pass: true });
    expect(endless.asked.length).toBe(50);
  });

  test("a state that is none is refused", () => {
    expect(awsConfigRule.spec.safeParse({ name: "a", complianceTypes: ["BAD"] }).success).toBe(
      false,
    );
  });
});

describe("cloudwatch", () => {
  const alarm = (name: string, state: string) => `<member>
    <AlarmName>${name}</AlarmName><AlarmArn>arn:aws:cloudwatch:eu-central-1:1:alarm:${name}</AlarmArn>
    <ActionsEnabled>true</ActionsEnabled><OKActions/><AlarmActions><member>arn:aws:sns:x</member></AlarmActions>
    <InsufficientDataActions/><StateValue>${state}</StateValue>
    <StateReason>Threshold Crossed: 1 datapoint &gt; 80</StateReason>
    <MetricName>CPUUtilization</MetricName><Namespace>AWS/EC2</Namespace><Statistic>Average</Statistic>
    <Dimensions><member><Name>InstanceId</Name><Value>i-1</Value></member></Dimensions>
    <Period>300</Period><EvaluationPeriods>1</EvaluationPeriods><Threshold>80.0</Threshold>
    <ComparisonOperator>GreaterThanThreshold</ComparisonOperator></member>`;
  const described = (alarms: string, more = "") =>
    `<DescribeAlarmsResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/"><DescribeAlarmsResult>
    <CompositeAlarms/><MetricAlarms>${alarms}</MetricAlarms>${more}</DescribeAlarmsResult>
    <ResponseMetadata><RequestId>x</RequestId></ResponseMetadata></DescribeAlarmsResponse>`;

  test("passes while none rings", async () => {
    const server = await serve(() =>
      described(alarm("cpu", "OK") + alarm("disk", "INSUFFICIENT_DATA")),
    );
    const outcome = await tryCheck(cloudwatch, access(server));
    expect(outcome).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^2 alarms, none ringing/) as string,
    });
    expect(outcome.data?.()).toMatchObject({
      results: {
        CompositeAlarms: [],
        MetricAlarms: [
          {
            AlarmName: "cpu",
            ActionsEnabled: true,
            OKActions: [],
            AlarmActions: ["arn:aws:sns:x"],
            Dimensions: [{ Name: "InstanceId", Value: "i-1" }],
            Period: 300,
            Threshold: 80,
            StateReason: "Threshold Crossed: 1 datapoint > 80",
          },
          { AlarmName: "disk" },
        ],
      },
    });
    expect(server.asked).toMatchObject([
      { service: "monitoring", action: "DescribeAlarms", parameters: { MaxRecords: "100" } },
    ]);
  });

  test("fails while one rings", async () => {
    const server = await serve(() =>
      described(alarm("cpu", "ALARM") + alarm("disk", "OK"), "<NextToken>x</NextToken>"),
    );
    expect(await tryCheck(cloudwatch, access(server))).toMatchObject({
      pass: false,
      error: "in ALARM: cpu: Threshold Crossed: 1 datapoint > 80",
      details: { note: "there are more than 100 alarms; the first are looked at" },
    });
  });

  test("what is asked for is what the document says", async () => {
    const server = await serve(() => described(""));
    const spec = { alarms: ["a", "b"], actionPrefix: "arn:", state: "alarm" };
    expect(await tryCheck(cloudwatch, { ...access(server), ...spec })).toMatchObject({
      pass: true,
    });
    expect(server.asked[0]?.parameters).toMatchObject({
      "AlarmNames.member.1": "a",
      "AlarmNames.member.2": "b",
      ActionPrefix: "arn:",
      StateValue: "ALARM",
    });
  });

  test.each<[string, AwsBehaviour["answer"], RegExp]>([
    [
      "no right to",
      () => refuse("AccessDenied", "User is not authorized", 403),
      /not allowed: AccessDenied/,
    ],
    [
      "a token that has expired",
      () => refuse("ExpiredToken", "expired", 403),
      /token has expired: ExpiredToken/,
    ],
    ["something else", () => "<a/>", /describes no alarms/],
    ["no XML", () => "<a>", /does not answer in XML/],
    ["a bomb", () => `<!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>`, /does not answer in XML/],
  ])("fails: %s", async (_name, answer, error) => {
    const outcome = await tryCheck(cloudwatch, access(await serve(answer)));
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
  });
});

describe("ec2", () => {
  const instance = (state: string, why = "") =>
    `<item><instanceId>i-0abc</instanceId><instanceState><code>0</code><name>${state}</name></instanceState>${why}</item>`;
  /** A machine that goes through these states, one look after the other. */
  function machine(states: readonly string[], why = ""): AwsBehaviour["answer"] {
    const left = [...states];
    return ({ action }) => {
      switch (action) {
        case "RunInstances":
          return `<RunInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><instancesSet>${instance("pending")}</instancesSet></RunInstancesResponse>`;
        case "DescribeInstances": {
          const state = (left.length > 1 ? left.shift() : left[0]) ?? "";
          return state === "unknown"
            ? refuse("InvalidInstanceID.NotFound", "The instance ID 'i-0abc' does not exist")
            : `<DescribeInstancesResponse><reservationSet><item><instancesSet>${instance(state, why)}</instancesSet></item></reservationSet></DescribeInstancesResponse>`;
        }
        case "TerminateInstances":
          return `<TerminateInstancesResponse><instancesSet>${instance("shutting-down")}</instancesSet></TerminateInstancesResponse>`;
        default:
          return refuse("InvalidAction", action);
      }
    };
  }
  const actions = ({ asked }: AwsServer) => asked.map(({ action }) => action);

  test("starts a machine, waits until it runs, ends it", async () => {
    const server = await serve(machine(["unknown", "pending", "running"]));
    const spec = { ...access(server), ami: "ami-1", userData: "#!/bin/sh", securityGroup: "sg-1" };
    expect(await tryCheck(ec2, spec)).toMatchObject({
      pass: true,
      message: expect.stringMatching(/^i-0abc ran after/) as string,
      details: { instance: "i-0abc", kept: false },
    });
    expect(actions(server)).toEqual([
      "RunInstances",
      "DescribeInstances",
      "DescribeInstances",
      "DescribeInstances",
      "TerminateInstances",
    ]);
    expect(server.asked[0]?.parameters).toMatchObject({
      ImageId: "ami-1",
      UserData: Buffer.from("#!/bin/sh").toString("base64"),
      "SecurityGroupId.1": "sg-1",
      MaxCount: "1",
    });
    expect(server.asked.at(-1)?.parameters).toMatchObject({ "InstanceId.1": "i-0abc" });
  });

  test("is left running where the document says so", async () => {
    const server = await serve(machine(["running"]));
    const spec = { ...access(server), ami: "ami-1", keepAlive: true };
    expect(await tryCheck(ec2, spec)).toMatchObject({ pass: true, details: { kept: true } });
    expect(actions(server)).not.toContain("TerminateInstances");
  });

  test.each<[string, object, RegExp]>([
    ["does not come up", { states: ["pending"] }, /timed out after 900 ms/],
    [
      "dies",
      {
        states: ["terminated"],
        why: "<stateReason><message>Client.InternalError</message></stateReason>",
      },
      /the machine i-0abc is terminated instead of running: Client\.InternalError/,
    ],
  ])("a machine that %s fails, and is ended", async (_name, behaviour, error) => {
    const { states, why } = behaviour as { states: string[]; why?: string };
    const server = await serve(machine(states, why));
    const spec = { ...access(server), ami: "ami-1", keepAlive: true };
    const outcome = await tryCheck(ec2, spec, { timeoutMs: 900 });
    expect(outcome.pass).toBe(false);
    expect(outcome.error).toMatch(error);
    await expect.poll(() => actions(server).at(-1)).toBe("TerminateInstances");
  });

  test("one that cannot be ended is named", async () => {
    const whole = machine(["running"]);
    const server = await serve((asked) =>
      asked.action === "TerminateInstances"
        ? refuse("UnauthorizedOperation", "You are not authorized", 403)
        : whole(asked),
    );
    expect(await tryCheck(ec2, { ...access(server), ami: "ami-1" })).toMatchObject({
      pass: false,
      error: expect.stringMatching(
        /^the machine i-0abc could not be ended: .* not allowed: UnauthorizedOperation/,
      ) as string,
    });
  });

  test("nothing is started for who may not, or without an image", async () => {
    const server = await serve(() =>
      refuse("UnauthorizedOperation", "You are not authorized", 403),
    );
    expect(await tryCheck(ec2, { ...access(server), ami: "ami-1" })).toMatchObject({
      pass: false,
      error: expect.stringContaining("not allowed: UnauthorizedOperation") as string,
    });
    expect(actions(server)).toEqual(["RunInstances"]);
    expect(await tryCheck(ec2, access(server))).toMatchObject({ pass: false, invalid: true });
  });
});
