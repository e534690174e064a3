import { expect, test } from "vitest";
import { checkSpecs } from "./canary-spec.ts";
import { checksOf } from "./checks-of.ts";
import { codeInCanarySpec } from "./code-in-spec.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

const head =
  "apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: shop}\nspec:\n";
const read = (spec: string) => {
  const { documents, problems } = parseCanaryDocuments(head + spec);
  return { problems, checks: documents.flatMap((document) => checksOf(document)) };
};

test.each([
  [
    "elasticsearch",
    "{url: 'http://a', auth: {username: ann, password: {value: x}}}",
    { username: { value: "ann" }, password: { value: "x" } },
  ],
  [
    "mongodb",
    "{url: 'mongodb://a', credentials: {username: {value: ann}}}",
    { username: { value: "ann" } },
  ],
  [
    "ldap",
    "{host: 'ldap://a', auth: {username: {value: ann}}, bindDN: dc=a}",
    { url: "ldap://a", username: { value: "ann" } },
  ],
  [
    "azureDevops",
    "{organization: a, project: b, pipeline: c, variable: {env: prod}}",
    { variables: { env: "prod" } },
  ],
  [
    "http",
    "{url: 'http://a', envVar: [{name: A, value: b}]}",
    { env: [{ name: "A", value: "b" }] },
  ],
  [
    "http",
    "{url: 'http://a', auth: {username: old}, authentication: {username: new}}",
    { username: { value: "new" } },
  ],
  [
    "databaseBackup",
    "{GCP: {project: a, instance: b}, maxAge: 6h}",
    { gcp: { project: "a", instance: "b" } },
  ],
] as const)("what earlier versions wrote of %s is read: %s", (type, check, expected) => {
  const { problems, checks } = read(`  ${type}: [${check}]\n`);
  expect(problems).toEqual([]);
  expect(checkSpecs[type].parse(checks[0]?.spec)).toMatchObject(expected);
});

test("a socket of this machine is seen by its former name, too", () => {
  expect(codeInCanarySpec({ ldap: [{ host: "ldapi:///run/x", bindDN: "dc=a" }] })).toMatchObject([
    { kind: "socket" },
  ]);
});

test("one mapping where a list is meant, as public documents have it", () => {
  const { problems, checks } = read("  cloudwatch: {region: eu-west-1, name: alarms}\n");
  expect(problems).toEqual([]);
  expect(checks.map(({ name, path }) => [name, path])).toEqual([["alarms", ["cloudwatch"]]]);
});

test("a ping takes the host of a URL, an image keeps its digest, and variables their source", () => {
  const { problems, checks } = read(`  env: {TOKEN: {secretKeyRef: {name: s, key: k}}}
  icmp: [{endpoint: "https://example.com/"}, {endpoint: "https://example.com/path"}]
  docker: [{image: "registry.example.com/a:1@sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"}]
`);
  expect(problems.map(({ path, severity }) => `${severity} ${path}`)).toEqual([
    "error spec.icmp.1.endpoint",
  ]);
  expect(checks).toEqual([]);
  const good = read(`  env: {TOKEN: {secretKeyRef: {name: s, key: k}}}
  docker: [{image: "registry.example.com/a:1@sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"}]
`);
  expect(good.problems).toEqual([]);
  expect(good.checks.map(({ name }) => name)).toEqual([
    "registry.example.com/a:1@sha256:0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
  ]);
});

test("what cannot be done is held, and a document without checks says so", () => {
  const { problems, checks } = read(`  http: [{url: "http://a.b", kubernetes: {eks: {cluster: a}}}]
  amqp: [{name: a}]
  argo: [{name: a}]
  dockerPush: [{image: a}]
`);
  expect(problems).toEqual([]);
  expect(checks.map(({ type, held }) => [type, held !== undefined])).toEqual([
    ["http", true],
    ["amqp", true],
    ["argo", true],
    ["dockerPush", true],
  ]);
  expect(read("  spec: {http: []}\n").problems.map(({ message }) => message)).toContain(
    "There are no checks, so nothing is run.",
  );
});

test.each([
  ["kubernetes: [{name: a, kind: Pod, namspaceSelector: {name: a}}]", "namespaceSelector"],
  ["restic: [{name: a, repository: /r, password: x, maxAge: 1d, secretLKey: x}]", "secretKey"],
])("a slip of the pen is told: %s", (spec, meant) => {
  expect(read(`  ${spec}\n`).problems.map(({ message }) => message)).toEqual([
    expect.stringContaining(`Did you mean "${meant}"?`),
  ]);
});
