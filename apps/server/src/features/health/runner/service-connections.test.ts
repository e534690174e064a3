import { type CanaryCheck, checksOf, parseCanaryDocuments } from "@mainstay/contract";
import { createEvaluator } from "@mainstay/scripting";
import { areInstalled, type Listening, listenTcp } from "@mainstay/testkit/servers/index.ts";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Connection } from "#features/connections/index.ts";
import { serveAws } from "#platform/outbound/aws/testing/aws-server.ts";
import { serveMongo } from "../check-types/mongodb/testing/stand-in.ts";
import { serveTds } from "#platform/outbound/sql/testing/tds-server.ts";
import { assumedRole } from "../check-types/testing/start-s3.ts";
import { openTestConnector } from "../check-types/testing/try-check.ts";
import { runCheck } from "./run-check.ts";
import { runnableCheck } from "./runnable-check.ts";

const evaluator = createEvaluator();
const open: Listening[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => evaluator.close());

const password = "sesame secret";

function checkOf(spec: object): CanaryCheck {
  const document = {
    apiVersion: "canaries.flanksource.com/v1",
    kind: "Canary",
    metadata: { name: "connected" },
    spec,
  };
  const { documents, problems } = parseCanaryDocuments(JSON.stringify(document));
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return checksOf(documents[0]!)[0]!;
}

/** Runs the one check of a spec, whose connection is this one. */
async function run(spec: object, parts: Partial<Connection>) {
  const canary = { id: "", name: "connected", namespace: "default", labels: {} };
  const connection: Connection = {
    name: "it",
    namespace: "default",
    type: "",
    insecureTls: false,
    properties: {},
    ...parts,
  };
  const check = runnableCheck(
    checkOf(spec),
    { canary, intervalMs: undefined },
    { evaluator, connections: { find: () => Promise.resolve(connection) } },
  );
  const outcome = await runCheck({
    check,
    connector: openTestConnector(),
    stop: new AbortController().signal,
  });
  expect(JSON.stringify(outcome)).not.toContain(password);
  return outcome;
}
const it = { name: "it", connection: "connection://default/it" };

async function serve(handler: Parameters<typeof listenTcp>[0]): Promise<string> {
  const server = await listenTcp(handler);
  open.push(server);
  return `127.0.0.1:${server.port}`;
}

test("mongodb takes its address and its login from a connection", async () => {
  const user = { name: "monitor", password };
  const url = `mongodb://${await serve((socket) => serveMongo(socket, { user }))}`;
  const outcome = await run({ mongodb: [it] }, { url, username: "monitor", password });
  expect(outcome).toMatchObject({ pass: true });
  const refused = await run({ mongodb: [it] }, { url, username: "somebody", password });
  expect(refused.error).toMatch(/refused the login of somebody/);
});

test("mssql does, and a test judges its rows", async () => {
  const login = { user: "monitor", password };
  const url = `sqlserver://${await serve((socket) => serveTds(socket, { login }))}`;
  const check = { ...it, test: { expr: "results.count == 1" } };
  expect(await run({ mssql: [check] }, { url, username: "monitor", password })).toMatchObject({
    pass: true,
  });
  const wrong = { ...it, test: { expr: "results.count == 2" } };
  expect(await run({ mssql: [wrong] }, { url, username: "monitor", password })).toMatchObject({
    pass: false,
  });
});

test("checks of Amazon take keys, region and address, and a test overrules a broken rule", async () => {
  const answer = {
    ComplianceByConfigRules: [
      { ConfigRuleName: "tagged", Compliance: { ComplianceType: "NON_COMPLIANT" } },
    ],
    EvaluationResults: [],
    ConfigRules: [],
  };
  const keys = [{ accessKey: "AKID", secretKey: password }];
  const server = await serveAws({ keys, answer: () => answer });
  open.push(server);
  const connection = {
    url: server.url,
    username: "AKID",
    password,
    properties: { region: "eu-west-1" },
  };
  expect(await run({ awsConfigRule: [it] }, connection)).toMatchObject({
    pass: false,
    error: "broken: tagged",
  });
  const check = { ...it, test: { expr: "results.rules.size() == 1" } };
  expect(await run({ awsConfigRule: [check] }, connection)).toMatchObject({ pass: true });
  expect(server.asked[0]).toMatchObject({ region: "eu-west-1", who: "AKID" });
});

test("signing for AWS takes keys and the role from a connection", async () => {
  const lent = { accessKey: "ASIALENT", secretKey: "lent secret", sessionToken: "lent token" };
  const server = await serveAws({
    keys: [{ accessKey: "AKID", secretKey: password }, lent],
    answer: ({ service }) => (service === "sts" ? assumedRole(lent) : "<Hello/>"),
  });
  open.push(server);
  const awsSigV4 = { connection: "connection://default/it", service: "aps" };
  const check = { name: "it", url: `${server.url}/`, method: "POST", body: "a=b", awsSigV4 };
  const properties = { region: "eu-west-1", assumeRole: "arn:aws:iam::1:role/audit" };
  const parts = { url: server.url, username: "AKID", password, properties };
  expect(await run({ http: [check] }, parts)).toMatchObject({ pass: true });
  expect(server.asked).toMatchObject([
    { service: "sts", who: "AKID", parameters: { RoleArn: properties.assumeRole } },
    { service: "aps", who: lent.accessKey },
  ]);
});

test.skipIf(!areInstalled("git"))("exec hands connections to its script and to git", async () => {
  const script = 'echo "$AWS_ACCESS_KEY_ID $AWS_REGION"; echo "$AWS_SECRET_ACCESS_KEY" >&2';
  const connections = { aws: { connection: "connection://default/it" } };
  const outcome = await run(
    { exec: [{ name: "it", script, connections }] },
    { username: "AKID", password, properties: { region: "eu-west-1" } },
  );
  expect(outcome).toMatchObject({ pass: true, message: "[hidden] eu-west-1" });
  const checkout = { connection: "connection://default/it" };
  const url = "file:///nowhere/at/all.git";
  const failed = await run({ exec: [{ name: "it", script, checkout }] }, { url, password });
  expect(failed.error).toMatch(/the repository file:\/\/\/nowhere\/at\/all.git could not be/);
});
