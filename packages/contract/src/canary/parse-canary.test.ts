import { describe, expect, test } from "vitest";
import { checksOf } from "./checks-of.ts";
import { locateIssues, type Problem } from "../documents/parse-documents.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

const head =
  "apiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata:\n  name: shop\nspec:\n";
const brief = (problems: Problem[]) =>
  problems.map(
    ({ severity, path, line, column, document }) =>
      `${severity} ${document} ${line}:${column} ${path}`,
  );

test("a document of every type is accepted without a complaint", () => {
  const { documents, problems } = parseCanaryDocuments(`${head}  schedule: "@every 30s"
  severity: High
  owner: platform
  icon: shop
  timeZone: Europe/Berlin
  timeout: 10s
  consecutiveFailures: 3
  labels: {tier: web, replicas: 3}
  env: {region: {value: eu}}
  http:
    - name: home
      url: https://example.com/
      responseCodes: [200, 2xx, 300-310]
      headers: [{name: X-One, value: "1"}, {name: Auth, valueFrom: {secretKeyRef: {name: s, key: k}}}]
      basic: true
      authentication: {username: ann, password: {value: pass}}
      labels: {tier: edge}
      severity: Critical
    - {name: old, endpoint: "http://example.com", thresholdMillis: 500, maxSSLExpiry: 30}
  tcp: [{name: port, endpoint: "[::1]:443"}]
  dns: [{name: a, query: example.com, querytype: mx, minrecords: 1, timeout: 5, exactreply: [10 mail.example.com]}]
  icmp: [{name: ping, endpoint: example.com, packetLossThreshold: 20}]
  exec: [{name: sh, script: echo hi, env: [{name: A, value: 1}]}]
  postgres: [{name: pg, url: postgres://localhost/db, results: 1}]
  mysql: [{name: my, connection: "user:pw@tcp(localhost:3306)/db"}]
  redis: [{name: r, addr: "localhost:6379", db: 1}]
  folder: [{name: f, path: /tmp, filter: {regex: '.*\\.bak$'}, maxAge: 1d12h, minSize: 10mb}]
  heartbeat: [{name: cron job, every: 1h, grace: 5m, token: abcdefghijklmnop}]
  kubernetes: [{name: nodes, kind: Node, ready: true, namespaceSelector: {name: "*"}}]
  dockerPush: [{name: pods, image: busybox}]
  webhook: {name: hook}
`);
  expect(problems).toEqual([]);
  const document = documents[0];
  if (!document) throw new Error("no document");
  expect(document.spec.severity).toBe("high");
  const checks = checksOf(document);
  expect(checks).toHaveLength(14);
  const find = (name: string) => checks.find((check) => check.name === name);
  expect(find("home")).toMatchObject({
    type: "http",
    namespace: "default",
    icon: "shop",
    severity: "critical",
    labels: { tier: "edge", replicas: "3", critical: "true", platform: "true" },
    consecutiveFailures: 3,
    consecutiveSuccesses: 1,
    timeoutMs: 10_000,
    supported: true,
    held: undefined,
  });
  expect(find("a")?.timeoutMs).toBe(5000);
  expect(find("port")).toMatchObject({ held: undefined, severity: "high" });
  expect(find("pods")).toMatchObject({ supported: false });
  expect(find("pods")?.held).toContain("this server keeps none");
  expect(document.spec.http?.[0]).toMatchObject({
    username: { value: "ann" },
    password: { value: "pass" },
  });
  expect(document.spec.http?.[1]?.url).toBe("http://example.com");
  expect(document.spec.redis?.[0]?.url).toBe("localhost:6379");
});

describe("problems and their places", () => {
  test.each<[string, string, string[]]>([
    ["a missing url", `${head}  http:\n    - name: a\n`, ["error 0 7:7 spec.http.0"]],
    [
      "a wrong type",
      `${head}  http:\n    - name: a\n      url: http://a\n      maxSSLExpiry: soon\n`,
      ["error 0 9:21 spec.http.0.maxSSLExpiry"],
    ],
    [
      "an unknown key, at the key",
      `${head}  http:\n    - {name: a, url: "http://a", colour: red}\n`,
      ["warning 0 7:34 spec.http.0.colour"],
    ],
    ["a bad schedule", `${head}  schedule: every day\n`, ["error 0 6:13 spec.schedule"]],
    [
      "a bad regular expression",
      `${head}  folder:\n    - name: a\n      path: /\n      filter: {regex: "a("}\n`,
      ["error 0 9:23 spec.folder.0.filter.regex"],
    ],
    [
      "a bad duration",
      `${head}  folder: [{name: a, path: /, maxAge: 5}, {name: b, path: /, maxAge: 5x}]\n`,
      ["error 0 6:39 spec.folder.0.maxAge", "error 0 6:70 spec.folder.1.maxAge"],
    ],
    [
      "a bad response code",
      `${head}  http: [{name: a, url: "http://a", responseCodes: [200, 99]}]\n`,
      ["error 0 6:58 spec.http.0.responseCodes.1"],
    ],
    [
      "a name that is taken",
      `${head}  tcp:\n  - {name: a, endpoint: "a:1"}\n  - {name: a, endpoint: "b:1"}\n`,
      ["warning 0 8:12 spec.tcp.1.name"],
    ],
    [
      "url and endpoint",
      `${head}  http: [{name: a, url: "http://a", endpoint: "http://b"}]\n`,
      ["error 0 6:47 spec.http.0.endpoint"],
    ],
    [
      "a reference without a key",
      `${head}  exec: [{name: a, script: x, env: [{name: A, valueFrom: {secretKeyRef: {name: s}}}]}]\n`,
      ["error 0 6:73 spec.exec.0.env.0.valueFrom.secretKeyRef.key"],
    ],
    [
      "a reference without a name",
      `${head}  exec: [{name: a, script: x, env: [{name: A, valueFrom: {configMapKeyRef: {key: k}}}]}]\n`,
      ["error 0 6:76 spec.exec.0.env.0.valueFrom.configMapKeyRef.name"],
    ],
    [
      "a password whose reference has an empty name",
      `${head}  http: [{name: a, url: "http://a", password: {valueFrom: {secretKeyRef: {name: "", key: k}}}}]\n`,
      ["error 0 6:81 spec.http.0.password.valueFrom.secretKeyRef.name"],
    ],
    [
      "a password whose reference has no key",
      `${head}  http: [{name: a, url: "http://a", password: {valueFrom: {secretKeyRef: {name: s}}}}]\n`,
      ["error 0 6:74 spec.http.0.password.valueFrom.secretKeyRef.key"],
    ],
    [
      "a value that says of none where it stands",
      `${head}  http: [{name: a, url: "http://a", username: {valueFrom: {}}, bearer: {valueFrom: {}, value: t}}]\n`,
      ["error 0 6:59 spec.http.0.username.valueFrom"],
    ],
    [
      "half a reference as a text, and one that a template fills in",
      `${head}  http: [{name: a, url: "http://a", username: "secret://s", bearer: "secret://{{.name}}"}]\n`,
      ["error 0 6:47 spec.http.0.username"],
    ],
    [
      "a variable of the document without the name",
      `${head}  env: {A: {secretKeyRef: {key: k}}, B: {fieldRef: {fieldPath: metadata.name}}}\n  tcp: []\n`,
      ["error 0 6:27 spec.env.A.secretKeyRef.name"],
    ],
    [
      "a document of others within, whose references are its own",
      `${head}  kubernetesResource: [{name: a, namespace: x, resources: [{kind: Pod, spec: {env: [{valueFrom: {secretKeyRef: {key: k}}}]}}]}]\n`,
      [],
    ],
    [
      "a wrong value source",
      `${head}  http: [{name: a, url: "http://a", password: [1]}]\n`,
      ["error 0 6:47 spec.http.0.password"],
    ],
    [
      "another kind",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n",
      ["warning 0 2:7 kind"],
    ],
    ["a list", "- a\n", ["error 0 1:1 "]],
    ["nothing", "", ["error 0 1:1 "]],
    ["a tab", `${head}\thttp: []\n`, ["error 0 6:1 "]],
    ["a key twice", `${head}  http: []\n  http: []\n`, ["error 0 7:3 "]],
    ["an open bracket", `${head}  http: [\n`, ["error 0 7:1 "]],
    ["an unknown alias", `${head}  http: *nobody\n`, ["error 0 6:9 "]],
    [
      "the second document",
      `${head}  http: []\n---\n${head}  interval: soon\n`,
      ["error 1 13:13 spec.interval"],
    ],
    [
      "through an alias",
      "x: &x {name: a}\napiVersion: canaries.flanksource.com/v1\nkind: Canary\nmetadata: {name: a}\nspec: {http: [*x]}\n",
      ["error 0 5:15 spec.http.0", "warning 0 1:1 x"],
    ],
    [
      "JSON",
      '{"apiVersion":"canaries.flanksource.com/v1",\n"kind":"Canary","metadata":{"name":"a"},\n"spec":{"interval":0}}',
      ["error 0 3:20 spec.interval"],
    ],
  ])("%s", (_name, text, expected) => {
    expect(brief(parseCanaryDocuments(text).problems)).toEqual(expected);
  });

  test("the messages say what is wrong", () => {
    const { problems } = parseCanaryDocuments(`${head}  interval: soon
  http: [{URL: http://a, name: a, maxRedirect: 3}]
  tcp: {}
  labels: [a]
  timeZone: Mars
  heartbeat: [{name: a, every: 1h, token: {valueFrom: 3}}]
`);
    expect(problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      "spec.interval: Expected a number, found a text.",
      'spec.timeZone: "Mars" is not a time zone name such as Europe/Berlin',
      "spec.labels: Labels are a mapping of names to texts.",
      "spec.http.0: An http check needs a url.",
      "spec.tcp: Expected a list, found a mapping.",
      "spec.heartbeat.0.token.valueFrom: Expected a mapping, found a whole number.",
      'spec.http.0.URL: "URL" is not a field here; it is ignored. Did you mean "url"?',
      'spec.http.0.maxRedirect: "maxRedirect" is not a field here; it is ignored. Did you mean "maxRedirects"?',
    ]);
  });

  test("good documents survive beside bad ones", () => {
    const { documents, problems } = parseCanaryDocuments(
      `# first\n---\n${head}  http: []\n---\n${head}  http: 3\n---\n`,
      { file: "a.yaml" },
    );
    expect(documents.map(({ index, name, file }) => ({ index, name, file }))).toEqual([
      { index: 0, name: "shop", file: "a.yaml" },
    ]);
    expect(problems).toMatchObject([{ document: 1, file: "a.yaml", path: "spec.http" }]);
  });

  test("a bare spec", () => {
    const { documents, problems } = parseCanaryDocuments("interval: 30\nhttp:\n  - name: a\n", {
      bare: true,
      name: "shop",
      namespace: "prod",
    });
    expect(documents).toEqual([]);
    expect(brief(problems)).toEqual(["error 0 3:5 http.0"]);
    const good = parseCanaryDocuments(
      '{"interval": 30, "tcp": [{"name": "a", "endpoint": "b:1"}]}',
      { bare: true, name: "shop", namespace: "prod" },
    );
    expect(good.problems).toEqual([]);
    expect(good.documents[0]).toMatchObject({
      name: "shop",
      namespace: "prod",
      spec: { interval: 30 },
    });
  });
});

describe("hostile texts are refused, and quickly", () => {
  const laughs = Array.from(
    { length: 10 },
    (_, level) =>
      `a${level}: &a${level} [${Array(10)
        .fill(level === 0 ? "lol" : `*a${level - 1}`)
        .join(", ")}]`,
  ).join("\n");
  const labels =
    `${head}  labels:\n${Array.from({ length: 100_000 }, (_, index) => `   l${index}: x`).join("\n")}\n`.slice(
      0,
      1_048_000,
    );
  test.each<[string, string, string]>([
    ["a billion laughs", laughs, "Excessive alias count"],
    ["an alias of itself", `${head}  env: &a {b: {value: *a}}\n`, "part of itself"],
    [
      "aliases without end",
      `a: &a 1\nb: [${Array.from({ length: 150 }, () => `[${"*a, ".repeat(1000)}]`).join(", ")}]`,
      "Excessive alias count",
    ],
    ["brackets in brackets", "[".repeat(1_000_000), "nested more than 64 levels"],
    ["braces in braces", "{a: ".repeat(200_000), "nested more than 64 levels"],
    [
      "65 levels",
      `${head}  env: ${"[".repeat(65)}${"]".repeat(65)}\n`,
      "nested more than 64 levels",
    ],
    ["lists on one line", `${"- ".repeat(5000)}a`, "nested more than 64 levels"],
    [
      "ever deeper indentation",
      Array.from({ length: 1400 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      "nested more than 64 levels",
    ],
    ["100,000 labels", labels, "entries in one list or mapping"],
    [
      "300 labels",
      `${head}  labels: {${Array.from({ length: 300 }, (_, index) => `l${index}: x`).join(", ")}}\n`,
      "There are 300 labels, at most 256 are allowed.",
    ],
    [
      "1,001 checks",
      `${head}  tcp:\n${Array.from({ length: 1001 }, (_, index) => `  - {name: c${index}, endpoint: "a:1"}`).join("\n")}\n`,
      "There are 1001 checks",
    ],
    ["more than a mebibyte", `${head}# ${"x".repeat(1_100_000)}\n`, "at most 1048576 are allowed"],
    [
      "a long name",
      `${head}  tcp: [{name: ${"n".repeat(300)}, endpoint: "a:1"}]\n`,
      "longer than 253 characters",
    ],
    ["many documents", "--- {}\n".repeat(1001), "There are 1001 documents"],
  ])(
    "%s",
    (_name, text, why) => {
      const { documents, problems } = parseCanaryDocuments(text);
      expect(documents).toEqual([]);
      expect(problems.map(({ message }) => message).join("\n")).toContain(why);
      expect(problems.every(({ line, column }) => line >= 1 && column >= 1)).toBe(true);
      // A stall takes minutes; a busy machine does not.
    },
    60_000,
  );

  test("a text of one mebibyte of wrong checks reports at most a thousand problems and says how many are left", () => {
    const checks = Array.from({ length: 1500 }, () => "  - {}").join("\n");
    const { problems } = parseCanaryDocuments(`${head}  http:\n${checks}\n`);
    expect(problems).toHaveLength(1001);
    expect(problems.at(-1)?.message).toMatch(/^There are \d+ further problems/);
  });

  test("keys that would reach into objects are only keys", () => {
    const { problems } = parseCanaryDocuments(
      `${head}  __proto__: {polluted: true}\n  constructor: 1\n  http: []\n`,
    );
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test("merge keys share parts of a document", () => {
  const { documents, problems } = parseCanaryDocuments(`${head}  http:
    - &base {name: a, url: "http://a"}
    - {<<: *base, name: b}
`);
  expect(problems).toEqual([]);
  expect(documents[0]?.spec.http?.map(({ name, url }) => [name, url])).toEqual([
    ["a", "http://a"],
    ["b", "http://a"],
  ]);
});

test("places in a posted body", () => {
  const body =
    '[{"name": "a",\n  "labels": {"app.kubernetes.io/name": 1},\n  "spec": {"http": [{"name": "x"}]}}]';
  const placed = locateIssues(body, [
    { path: "0.labels.app.kubernetes.io/name", message: "one" },
    { path: [0, "spec", "http", 0, "url"], message: "two" },
    { path: "0.nothing", message: "three" },
    { path: "", message: "four" },
  ]);
  expect(placed.map(({ message, line, column }) => `${message} ${line}:${column}`)).toEqual([
    "one 2:40",
    "two 3:21",
    "three 1:2",
    "four 1:1",
  ]);
  expect(locateIssues("", [{ path: "a" }])).toEqual([{ path: "a", line: 1, column: 1 }]);
});

test.each([
  ["severity: urgent", "spec.severity", /"urgent" is no severity\. Known are critical, .*, info\./],
  ["tcp: [{name: a, endpoint: 'b:1', severity: P1}]", "spec.tcp.0.severity", /"P1" is no severity/],
  ["amqp: [{name: a, severity: P1}]", "spec.amqp.0.severity", /no severity/],
  [
    "tcp: [{name: a, endpoint: 'b:1', transformDeleteStrategy: Delete}]",
    "spec.tcp.0.transformDeleteStrategy",
    /Known are MarkHealthy, MarkUnhealthy, Ignore/,
  ],
  [
    "tcp: [{name: a, endpoint: 'b:1', metrics: [{name: m, type: summary, value: '1'}]}]",
    "spec.tcp.0.metrics.0.type",
    /Known are gauge, counter, histogram/,
  ],
])("a word that nobody knows is refused at its place: %s", (line, path, message) => {
  const { problems } = parseCanaryDocuments(`${head}  ${line}\n`);
  const errors = problems.filter(({ severity }) => severity === "error");
  expect(errors).toEqual([
    expect.objectContaining({ path, message: expect.stringMatching(message) }),
  ]);
});

test.each(["CRITICAL", "Blocker", "high", "Medium", "warning", "LOW", "info"])(
  "severity %s is read in any case",
  (word) => {
    const { documents, problems } = parseCanaryDocuments(
      `${head}  severity: ${word}\n  tcp: [{name: a, endpoint: 'b:1', severity: ${word}}]\n`,
    );
    expect(problems).toEqual([]);
    expect(documents[0]?.spec.severity).toBe(word.toLowerCase());
  },
);

test("an interval that is none is said to be none", () => {
  const { problems } = parseCanaryDocuments(`${head}  heartbeat: [{name: a, every: soon}]\n`);
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    ["spec.heartbeat.0.every", expect.stringContaining("is not a duration")],
  ]);
});
