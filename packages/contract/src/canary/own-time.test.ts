import { expect, test } from "vitest";
import { checksOf } from "./checks-of.ts";
import { parseCanaryDocuments } from "./parse-canary.ts";

const timeOf = (type: string, check: object, spec: object = {}): number | undefined => {
  const { documents, problems } = parseCanaryDocuments(
    JSON.stringify({
      apiVersion: "canaries.flanksource.com/v1",
      kind: "Canary",
      metadata: { name: "a" },
      spec: { ...spec, [type]: [{ name: "a", ...check }] },
    }),
  );
  expect(problems).toEqual([]);
  return checksOf(documents[0]!)[0]!.timeoutMs;
};

const junit = { testResults: "/tmp/results", spec: { containers: [{ name: "a" }] } };
const pod = { spec: "kind: Pod" };

test.each<[string, object, object, number | undefined]>([
  ["junit", junit, {}, 360_000],
  ["junit", { ...junit, timeout: 10 }, { timeout: "5s" }, 660_000],
  ["junit", { ...junit, timeout: "90s" }, {}, 150_000],
  ["junit", { testResults: "/tmp/results" }, {}, undefined],
  ["pod", { ...pod, deadline: 29_000 }, {}, 89_000],
  ["pod", { ...pod, deadline: 29_000, timeout: "10s" }, {}, 10_000],
  ["pod", pod, { timeout: "5s" }, 5000],
  ["namespace", { podSpec: "kind: Pod", deadline: 29_000 }, {}, 89_000],
  [
    "kubernetesResource",
    { resources: [], waitFor: { timeout: "5m" }, checkRetries: { delay: "3s", timeout: "1m" } },
    {},
    423_000,
  ],
  ["kubernetesResource", { resources: [] }, {}, undefined],
  ["dns", { query: "a", timeout: 3 }, {}, 3000],
])("%s %j %j: %s", (type, check, spec, expected) => {
  expect(timeOf(type, check, spec)).toBe(expected);
});
