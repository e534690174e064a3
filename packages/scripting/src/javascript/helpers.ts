import * as kubernetesHealth from "../functions/kubernetes-health.ts";
import * as kubernetesResources from "../functions/kubernetes-resources.ts";
import * as kubernetesTopology from "../functions/kubernetes-topology.ts";
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
  "k8s.isHealthy": first((value) => kubernetesHealth.isHealthy(value)),
  "k8s.isReady": first((value) => kubernetesHealth.isReady(value)),
  "k8s.getHealth": first((value) => ({ ...kubernetesHealth.healthOf(value) })),
  "k8s.getStatus": first((value) => kubernetesHealth.statusOf(value)),
  "k8s.cpuAsMillicores": first(kubernetesResources.cpuAsMillicores),
  "k8s.memoryAsBytes": first(kubernetesResources.memoryAsBytes),
  "k8s.labels": first(kubernetesResources.labelsOf),
  "k8s.neat": first(kubernetesResources.neat),
  "k8s.podProperties": first(kubernetesResources.podProperties),
  "k8s.nodeProperties": first(kubernetesResources.nodeProperties),
  "k8s.conditions.isReady": first(kubernetesTopology.isConditionReady),
  "k8s.conditions.getMessage": first(kubernetesTopology.conditionMessage),
  "k8s.conditions.getError": first(kubernetesTopology.conditionError),
  "k8s.filterLabels": first(kubernetesTopology.filterLabels),
  "k8s.getNodeName": first(kubernetesTopology.nodeName),
  "k8s.getNodeMetrics": first(kubernetesTopology.nodeMetrics),
  "k8s.getNodeTopology": first(kubernetesTopology.nodeTopology),
  "k8s.getPodMetrics": first(kubernetesTopology.podMetrics),
  "k8s.getPodTopology": first(kubernetesTopology.podTopology),
  fromMillicores: first(kubernetesResources.cpuAsMillicores),
  fromSI: first(kubernetesResources.memoryAsBytes),
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
