import { expect, test } from "vitest";
import { cel } from "../cel/engine.ts";
import { gotemplate } from "../gotemplate/engine.ts";
import { matchesQuery } from "./match-query.ts";

const resource = {
  name: "web-1",
  type: "Kubernetes::Pod",
  namespace: "shop",
  labels: { app: "web", "app.kubernetes.io/name": "front" },
  properties: [{ name: "region", text: "eu" }],
  created_at: "2024-05-01T00:00:00Z",
  replicas: 3,
};

test.each([
  ["web", true],
  ["eb", false],
  ["*eb*", true],
  ["type=pod", true],
  ["type=Kubernetes::*", true],
  ["type=Deployment,Pod", true],
  ["type=!pod", false],
  ["type!=pod", false],
  ["namespace=shop labels.app=web", true],
  ["namespace=other | labels.app=web", true],
  ["labels.app.kubernetes.io/name=front", true],
  ["labels.team", false],
  ["!labels.team", true],
  ["-name=web*", false],
  ["region=eu", true],
  ["replicas>2 replicas<=3", true],
  ["created<now-1d", true],
  ["created>2024-06-01", false],
  ["name=other; type=Pod", true],
  ["", true],
])("%s", (search, expected) => {
  // An empty search has no query, so it selects nothing.
  expect(matchesQuery(resource, search)).toBe(search === "" ? false : expected);
});

test("objects of Kubernetes have their names in their metadata", () => {
  const pod = { kind: "Pod", metadata: { name: "a", namespace: "b", labels: { c: "d" } } };
  expect(matchesQuery(pod, "type=Pod name=a namespace=b labels.c=d")).toBe(true);
  expect(matchesQuery("text", "a")).toBe(false);
});

test("in scripts, and a mistake of the search in its place", () => {
  expect(cel.compile("matchQuery(r, 'type=pod')").run({ r: resource })).toBe(true);
  expect(gotemplate.compile('{{ matchQuery .r "name=x" }}').run({ r: resource })).toBe("false");
  expect(() => cel.compile("matchQuery(r, 'name=')").run({ r: resource })).toThrow(/value after/);
});
