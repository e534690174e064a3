import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseDocuments } from "../documents/parse-documents.ts";
import { codeInLoggingBackend } from "./backend-code.ts";
import { loggingBackendFormat } from "./backend-format.ts";
import { loggingBackendSecretPlaces } from "./backend-secrets.ts";
import { logBackendSpecs } from "./backend-types.ts";
import { logBackendsOf } from "./backends-of.ts";

const head =
  "apiVersion: apm-hub.flanksource.com/v1\nkind: LoggingBackend\nmetadata:\n  name: shop\nspec:\n  backends:\n";
const parse = (text: string) => parseDocuments(text, { formats: [loggingBackendFormat] });
const errorsOf = (text: string) =>
  parse(head + text)
    .problems.filter(({ severity }) => severity === "error")
    .map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

describe("documents of others", () => {
  test.each([
    `    - elasticsearch:
        routes: [{ type: logs, idPrefix: es-, labels: { foo: "bar,baz", name: "shop-*,!shop-demo" } }]
        address: https://logs.example.com
        fields: { message: log, timestamp: "@timestamp", exclusions: [transaction] }
        username: { valueFrom: { secretKeyRef: { name: es, key: USER } } }
        password: { valueFrom: { secretKeyRef: { name: es, key: PASSWORD } } }
        index: backend-logs
        query: |
          {{if .Page}}"search_after": {{ .Page }},{{end}} {"query": {"match_all": {}}}
`,
    `    - opensearch: { address: https://a, username: { value: elastic }, password: { value: long-secret }, index: a }
    - kubernetes: { routes: { type: nginx, idPrefix: pod-1- }, labels: { name: acmehost }, namespace: default, kubeconfig: { value: "apiVersion: v1" } }
    - file: { routes: [{ type: nginx, is_additive: true }], path: [/var/log/nginx/access.log, /var/log/nginx/*.gz] }
    - cloudwatch: { auth: { region: eu-1, access_key: { value: AKIA1234 }, secret_key: { value: long-secret } }, log_group: shop }
`,
  ])("are read without a word", (text) => {
    expect(errorsOf(text)).toEqual([]);
  });

  test("become one spelling", () => {
    const { routes, url, api_key } = logBackendSpecs.elasticsearch.parse({
      routes: { type: "logs", idPrefix: "es-", isAdditive: true },
      address: "https://a",
      apiKey: "key",
    });
    expect([routes, url, api_key]).toEqual([
      [{ type: "logs", id_prefix: "es-", is_additive: true }],
      "https://a",
      { value: "key" },
    ]);
    expect(
      logBackendSpecs.cloudwatch.parse({ auth: { region: "r", access_key: "a" }, logGroup: "g" }),
    ).toMatchObject({ region: "r", accessKey: { value: "a" }, log_group: "g" });
  });
});

test.each([
  ["    - {}\n", /^7:7 .*There is no backend here\. Known are file, journald/],
  [
    "    - { file: { path: /a }, loki: { url: http://a } }\n",
    /There are 2 backends here \(file, loki\)/,
  ],
  [
    "    - file: { path: [logs/a] }\n",
    /^7:22 spec\.backends\.0\.file\.path\.0: "logs\/a" is not an absolute path/,
  ],
  ["    - file: { path: [] }\n", /Say which files are read/],
  ["    - file: { path: /a, format: xml }\n", /"xml" is no format of lines\. Known are auto, json/],
  ["    - file: { path: /a, password: b }\n", /"password" is of no use without a host/],
  ["    - journald: { matches: { unit: a } }\n", /capital letters/],
  ["    - loki: {}\n", /loki needs url, or a connection/],
  ["    - loki: { url: http://a, query: shop }\n", /begins with "\{"/],
  ["    - elasticsearch: { index: a }\n", /elasticsearch needs address, or a connection/],
  [
    "    - postgres: { url: postgres://a, columns: { timestamp: a, message: b } }\n",
    /a table, or a query/,
  ],
  ["    - postgres: { url: postgres://a, table: a }\n", /"columns" is missing/],
  ["    - cloudwatch: { region: a }\n", /"log_group" is missing/],
  ["    - azureLogAnalytics: { workspaceID: a }\n", /"query" is missing/],
  [
    "    - elasticsearch: { address: http://a, api_key: { valueFrom: { secretKeyRef: { key: a } } } }\n",
    /name/,
  ],
])("%s is refused", (text, message) => {
  const errors = errorsOf(text);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(message);
});

test("what reaches into the machine of the server is found", () => {
  const backends = [
    { file: { path: "/a" } },
    { file: { path: "/a", host: "web" } },
    { journald: {} },
    { journald: { connection: "connection://web" } },
    { kubernetes: { kubeconfig: "/root/.kube/config" } },
    { kubernetes: {} },
    { postgres: { url: "postgres://a@/b?host=/run" } },
    { opensearch: { address: "unix:///run/a" } },
    { loki: { url: "http://a" } },
    { spell: { name: "magic" } },
  ];
  expect(codeInLoggingBackend({ backends }).map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
    "file-0: file",
    "journald-2: program",
    "kubernetes-4: file",
    "postgres-6: socket",
    "opensearch-7: socket",
    "spell-9: unknown",
  ]);
});

test("secrets belong to where their backend sends them", () => {
  const places = loggingBackendSecretPlaces({
    backends: [
      { elasticsearch: { address: "https://u:in-address@a.org", api_key: { value: "key" } } },
      { loki: { url: "http://b.org", bearer: "token", headers: [{ name: "X-Key", value: "h" }] } },
      { cloudwatch: { auth: { access_key: "id", secret_key: { value: "aws" } } } },
    ],
  });
  expect(places.map(({ path, value }) => `${path}=${String(value)}`)).toEqual([
    "backends[0].elasticsearch.address#password=in-address",
    "backends[0].elasticsearch.api_key=key",
    "backends[1].loki.bearer=token",
    "backends[1].loki.headers[name=X-Key].value=h",
    "backends[2].cloudwatch.auth.access_key=id",
    "backends[2].cloudwatch.auth.secret_key=aws",
  ]);
  expect(places[0]!.destination).toContain("a.org");
  expect(places[0]!.destination).not.toContain("b.org");
});

test("backends are named by their place", () => {
  const { documents } = parse(`${head}    - loki: { url: http://a }\n    - file: { path: /a }\n`);
  expect(
    logBackendsOf(documents[0]!.source).map(({ type, index, path }) => [type, index, path]),
  ).toEqual([
    ["loki", 0, ["backends", 0, "loki"]],
    ["file", 1, ["backends", 1, "file"]],
  ]);
});

test.each(["log-files.yaml", "cloud-logs.yaml"])(
  "our own %s loads, and nothing in it goes unread",
  (file) => {
    const examples = new URL("../../../../examples/", import.meta.url);
    const { documents, problems } = parse(readFileSync(new URL(file, examples), "utf8"));
    expect(documents).toHaveLength(1);
    expect(problems).toEqual([]);
  },
);
