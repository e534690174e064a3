import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseTopologies } from "./parse-topology.ts";

/** What public documents of the family write, in documents of our own (docs/topology-compatibility.md). */

const read = (spec: string, kind = "Topology") => {
  const { documents, problems } = parseTopologies(
    `apiVersion: canaries.flanksource.com/v1\nkind: ${kind}\nmetadata: { name: shop }\nspec: ${spec}\n`,
  );
  return {
    spec: documents[0]?.spec,
    told: problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`),
  };
};
const lookup = '{ http: [{ endpoint: "http://a", display: { expr: content } }] }';

test.each<[string, string]>([
  [
    "lists that are null",
    `{ properties: null, components: [{ name: a, configs: null, checks: null }] }`,
  ],
  [
    "properties without a name",
    '{ components: [{ name: a }], properties: [{ icon: aws, text: eu-west-1 }, { type: url, text: "https://a" }, { label: b, value: 3 }] }',
  ],
  [
    "null within forEach",
    `{ components: [{ lookup: ${lookup}, forEach: { components: null, configs: [{ name: "\${.component.name}" }] } }] }`,
  ],
  [
    "items by type, tags and a list of ids",
    "{ components: [{ name: a, configs: [{ id: [a1, b2], type: Kubernetes::Pod, tags: { shard: 3 } }] }] }",
  ],
  [
    "results of a query, a display of nothing, a lookup without a name",
    '{ components: [{ name: a, type: lookup, lookup: { postgres: [{ connection: "connection://db", query: select 1, results: 1, display: {} }] } }] }',
  ],
  [
    "counts that are told and not counted",
    "{ components: [{ name: a, summary: { healthy: 1, insights: { security: { high: 1 } } } }] }",
  ],
])("%s: read without a word", (_, spec) => {
  expect(read(spec).told).toEqual([]);
});

test("a list of ids is read as one text of them", () => {
  const { spec } = read("{ configs: [{ id: [a1, b2] }] }");
  expect(spec?.configs).toEqual([{ id: "a1,b2" }]);
});

test.each<[string, string, string[]]>([
  [
    "what belongs in a check",
    "{ components: [{ name: a, lookup: { kubernetes: [{ kind: Pod }], kubeconfig: { value: /a }, display: { expr: x } } }] }",
    [
      'warning spec.components.0.lookup.display: "display" belongs in each check of the list; here it is ignored.',
      'warning spec.components.0.lookup.kubeconfig: "kubeconfig" belongs in each check of the list; here it is ignored.',
    ],
  ],
  [
    "a lookup of nothing",
    "{ components: [{ name: a, lookup: {} }] }",
    ["warning spec.components.0.lookup: There are no checks here, so nothing is found."],
  ],
  [
    "a selector without its key",
    "{ components: [{ name: a, checks: [{ labelSelector: a=b }] }] }",
    [
      'warning spec.components.0.checks.0.labelSelector: "labelSelector" is not a field here; it is ignored.',
    ],
  ],
])("%s: read, and told", (_, spec, told) => {
  const found = read(spec);
  expect(found.spec).toBeDefined();
  expect(found.told.toSorted()).toEqual(told);
});

test.each<[string, string, string | undefined, string[]]>([
  [
    "the kind of old documents",
    "{}",
    "SystemTemplate",
    ["error kind: SystemTemplate is called Topology now: write kind: Topology."],
  ],
  [
    "selectors that are no list",
    "{ components: [{ name: a, selectors: { labels: { a: b } } }] }",
    undefined,
    ["error spec.components.0.selectors: Expected a list, found a mapping."],
  ],
  [
    "a property of which nothing says what it is",
    "{ components: [], properties: [{ text: a }] }",
    undefined,
    [
      'error spec.properties.0: "name" is missing: a property needs one, or else a label, an icon or a type.',
    ],
  ],
  [
    "a configLookup of nothing",
    "{ properties: [{ name: a, configLookup: { display: { javascript: a } } }] }",
    undefined,
    ['error spec.properties.0.configLookup: "config" is missing: it says which item is meant.'],
  ],
])("%s: refused", (_, spec, kind, told) => {
  const found = read(spec, kind);
  expect(found.spec).toBeUndefined();
  expect(found.told.filter((one) => one.startsWith("error"))).toEqual(told);
});

const examples = new URL("../../../../examples/", import.meta.url);
const ours = readdirSync(examples).filter((file) => file.endsWith("-topology.yaml"));

test.each(ours)("our own %s loads, and nothing in it goes unread", (file) => {
  const { documents, problems } = parseTopologies(readFileSync(new URL(file, examples), "utf8"));
  expect(documents.length).toBeGreaterThan(0);
  expect(problems).toEqual([]);
});
