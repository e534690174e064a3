import * as kubernetes from "../functions/kubernetes.ts";
import { matchesQuery } from "../functions/match-query.ts";
import { jmespath, jq, jsonpath, xpath } from "../functions/query.ts";
import type { HostFunction } from "../language.ts";
import type { Value } from "../values.ts";

const text = (value: Value | undefined, name: string): string => {
  if (typeof value === "string") return value;
  throw new TypeError(`${name} takes a text first`);
};
const first =
  (run: (value: Value) => Value): HostFunction =>
  (value = null) =>
    run(value);

/** What JavaScript has of the other languages' functions, under the same names. */
export const helpers: Readonly<Record<string, HostFunction>> = {
  "k8s.isHealthy": first((value) => kubernetes.isHealthy(value)),
  "k8s.isReady": first((value) => kubernetes.isReady(value)),
  "k8s.getHealth": first((value) => ({ ...kubernetes.healthOf(value) })),
  "k8s.getStatus": first((value) => kubernetes.statusOf(value)),
  "k8s.cpuAsMillicores": first(kubernetes.cpuAsMillicores),
  "k8s.memoryAsBytes": first(kubernetes.memoryAsBytes),
  "k8s.labels": first(kubernetes.labelsOf),
  "k8s.neat": first(kubernetes.neat),
  "k8s.podProperties": first(kubernetes.podProperties),
  "k8s.nodeProperties": first(kubernetes.nodeProperties),
  matchQuery: (resource = null, search) => matchesQuery(resource, text(search, "matchQuery")),
  jq: (filter, value = null) => jq(text(filter, "jq"), value),
  jmespath: (expression, value = null) => jmespath(text(expression, "jmespath"), value),
  jsonpath: (path, value = null) => jsonpath(text(path, "jsonpath"), value),
  xpath: (expression, xml) => xpath(text(expression, "xpath"), text(xml, "xpath")),
};

/** Those that a script may name: each costs every run a little. */
export const helpersFor = (script: string): Readonly<Record<string, HostFunction>> =>
  Object.fromEntries(
    Object.entries(helpers).filter(([path]) => script.includes(path.split(".")[0]!)),
  );
