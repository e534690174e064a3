import { describe, expect, test } from "vitest";
import { codeInTopology } from "./code-in-spec.ts";
import { parseTopologies } from "./parse-topology.ts";
import { topologyScripts } from "./scripts.ts";
import { topologySecretPlaces } from "./topology-secrets.ts";

const head =
  "apiVersion: canaries.flanksource.com/v1\nkind: Topology\nmetadata:\n  name: shop\nspec:\n";
const problemsOf = (text: string) =>
  parseTopologies(text).problems.map(
    ({ severity, line, column, path, message }) =>
      `${severity} ${line}:${column} ${path}: ${message}`,
  );

/** Components within one another, so many times. */
const nested = (depth: number): string =>
  depth === 0 ? "[]" : `[{ name: level-${depth}, components: ${nested(depth - 1)} }]`;

test("a document of components, lookups, checks and properties is read without a word", () => {
  const text = `${head}  type: Shop
  schedule: "@every 5m"
  statusExpr: 'summary.unhealthy > 0 ? "bad" : "good"'
  groupBy: { tag: cluster, selector: { types: [Kubernetes::Node] } }
  components:
    - name: web
      parentLookup: { name: other, type: Host }
      logs: [{ name: web, labels: { app: web } }]
      components:
        - name: pods
          type: virtual
          lookup:
            kubernetes: [{ kind: Pod, display: { expr: "dyn(results).map(r, {'name': r.name}).toJSON()" } }]
          forEach:
            components: [{ name: $(.component.name)-side }]
            properties: [{ name: owner, lookup: { http: [{ url: "http://a/$(.component.name)" }] } }]
            configs: [{ name: $(.component.name), type: Service }]
        - name: db
          checks:
            - selector: { labelSelector: app=db }
            - inline: { schedule: "@every 1m", tcp: [{ name: port, endpoint: "db:5432" }] }
          properties:
            - { name: error_percentage, min: 0, max: 100, unit: percent }
            - name: version
              configLookup: { config: { name: db }, display: { javascript: config.version } }
`;
  expect(problemsOf(text)).toEqual([]);
  const scripts = topologyScripts(parseTopologies(text).documents[0]!.source);
  expect(scripts.map(({ language, path }) => `${language} ${path.join(".")}`)).toEqual([
    "cel statusExpr",
    "javascript components.0.components.1.properties.1.configLookup.display.javascript",
  ]);
});

describe("what is wrong is told where it stands, however deep", () => {
  test.each<[string, string, string[]]>([
    [
      "no name",
      "  components: [{ type: a }]\n",
      [
        'error 6:16 spec.components.0: "name" is missing: a component that nothing finds needs one.',
      ],
    ],
    [
      "a slip of the pen, two levels down",
      "  components: [{ name: a, components: [{ name: b, iccon: c }] }]\n",
      [
        'warning 6:51 spec.components.0.components.0.iccon: "iccon" is not a field here; it is ignored. Did you mean "icon"?',
      ],
    ],
    [
      "a wrong type, two levels down",
      "  components: [{ name: a, components: [{ name: b, hidden: 3 }] }]\n",
      [
        "error 6:59 spec.components.0.components.0.hidden: Expected true or false, found a whole number.",
      ],
    ],
    [
      "a check of a lookup",
      "  components: [{ name: a, lookup: { http: [{ name: b }] } }]\n",
      ["error 6:44 spec.components.0.lookup.http.0: An http check needs a url."],
    ],
    [
      "a check of a property of each",
      "  components: [{ name: a, lookup: { http: [{ url: 'http://a' }] }, forEach: { properties: [{ name: p, lookup: { dns: [{ querytype: A }] } }] } }]\n",
      [
        'error 6:119 spec.components.0.forEach.properties.0.lookup.dns.0.query: "query" is missing: expected a text.',
      ],
    ],
    [
      "too often",
      '  schedule: "@every 2s"\n  components: [{ name: a }]\n',
      ["error 6:13 spec.schedule: This is too often: every 10s at most."],
    ],
    [
      "too deep",
      `  components: ${nested(21)}\n`,
      [expect.stringMatching(/Components stand within one another 20 times at most\.$/) as string],
    ],
    [
      "an item that nothing names",
      "  components: [{ name: a, properties: [{ name: b, configLookup: { field: $.c } }] }]\n",
      [
        'error 6:65 spec.components.0.properties.0.configLookup: "config" is missing: it says which item is meant.',
      ],
    ],
    [
      "nothing",
      "  icon: a\n",
      ["warning 6:3 spec: There are no components, so there is nothing but the topology itself."],
    ],
  ])("%s", (_, body, problems) => {
    expect(problemsOf(head + body)).toEqual(problems);
  });
});

test("secrets are found in lookups, inline checks, of each and in what is pushed to, and nowhere else", () => {
  const places = topologySecretPlaces({
    push: { url: "https://u:s1@up", password: { value: "s2" } },
    components: [
      {
        name: "a",
        labels: { password: "label" },
        properties: [
          { name: "token", value: 3, lookup: { postgres: [{ url: "postgres://u:s3@db/x" }] } },
        ],
        components: [
          {
            name: "b",
            lookup: { http: [{ url: "http://x", headers: [{ name: "X-Key", value: "s4" }] }] },
            forEach: { checks: [{ inline: { redis: [{ addr: "r:1", password: "s5" }] } }] },
          },
        ],
      },
    ],
  });
  expect(places.map(({ path, value, destination }) => [path, value, destination])).toEqual([
    ["push.url#password", "s1", expect.stringContaining("up")],
    ["push.password", "s2", expect.stringContaining("up")],
    [
      "components[name=a].properties[name=token].lookup.postgres[0].url#password",
      "s3",
      expect.stringContaining("db"),
    ],
    [
      "components[name=a].components[name=b].lookup.http[0].headers[name=X-Key].value",
      "s4",
      expect.stringContaining("x"),
    ],
    [
      "components[name=a].components[name=b].forEach.checks[0].inline.redis[0].password",
      "s5",
      expect.stringContaining("r:1"),
    ],
  ]);
});

test("what reaches into the server's machine is found wherever checks stand", () => {
  const exec = { exec: [{ name: "run", script: "true" }] };
  expect(
    codeInTopology({
      push: { url: "unix:///run/x" },
      components: [
        {
          lookup: exec,
          forEach: { properties: [{ lookup: exec }] },
          components: [{ name: "a", checks: [{ inline: exec }] }],
        },
      ],
    }).map(({ path, kind }) => `${kind} ${path.join(".")}`),
  ).toEqual([
    "program components.0.lookup.exec.0",
    "program components.0.components.0.checks.0.inline.exec.0",
    "program components.0.forEach.properties.0.lookup.exec.0",
    "socket push",
  ]);
});
