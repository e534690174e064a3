import { isMapping, type Value } from "../values.ts";
import { at, list, resourceOf, text } from "./kubernetes-fields.ts";
import { cpuAsMillicores, labelsOf, memoryAsBytes, resourcesOf } from "./kubernetes-resources.ts";

/**
 * Components of topologies out of what a lookup of Kubernetes found, as the documents of people ask for them in
 * JavaScript. Properties are named as those documents name what they look up beside them.
 */

const itemsOf = (results: Value): readonly Value[] =>
  Array.isArray(results)
    ? (results as readonly Value[])
    : isMapping(results)
      ? Object.values(results)
      : [];

/** The most that there is of something; nothing is said where there is no bound. */
const bound = (amount: bigint): Record<string, Value> => (amount === 0n ? {} : { max: amount });
const said = (name: string, value: string): Record<string, Value> =>
  value === "" ? { name } : { name, text: value };

/** Labels without those that are only sums over a template. */
export const filterLabels = (labels: Value): Value =>
  Object.fromEntries(
    Object.entries(isMapping(labels) ? labels : {}).filter(([name]) => !name.endsWith("-hash")),
  );

/** The name of a node, without what a cloud says of all of its own. */
export const nodeName = (name: Value): string =>
  typeof name === "string" ? name.replace(".compute.internal", "") : "";

/** Whether no condition of the name `Ready` says otherwise; what has no conditions is not. */
export function isConditionReady(value: Value): boolean {
  const conditions = at(resourceOf(value), "status", "conditions");
  return (
    Array.isArray(conditions) &&
    (conditions as readonly Value[]).every(
      (one) => text(one, "type") !== "Ready" || text(one, "status") === "True",
    )
  );
}

function withoutConditions(resource: Value): string | undefined {
  if (at(resource, "status") === null) return "No status found";
  return at(resource, "status", "conditions") === null ? "no conditions found" : undefined;
}

/** The types of the conditions that do not hold, with blanks between them. */
export function conditionMessage(value: Value): string {
  const resource = resourceOf(value);
  return (
    withoutConditions(resource) ??
    list(resource, "status", "conditions")
      .filter((one) => text(one, "status") !== "True")
      .map((one) => text(one, "type"))
      .join(" ")
  );
}

/** The conditions that are false, the latest last, each with when and why. */
export function conditionError(value: Value): string {
  const resource = resourceOf(value);
  return (
    withoutConditions(resource) ??
    list(resource, "status", "conditions")
      .filter((one) => text(one, "status") === "False")
      .toSorted((a, b) =>
        text(a, "lastTransitionTime") < text(b, "lastTransitionTime")
          ? -1
          : Number(text(a, "lastTransitionTime") > text(b, "lastTransitionTime")),
      )
      .map((one) => {
        const message = text(one, "message");
        const what = `${text(one, "lastTransitionTime")}: ${text(one, "type")} is ${text(one, "reason")}`;
        return message ? `${what} with ${message}` : what;
      })
      .join(", ")
  );
}

function stateOf(resource: Value): Record<string, Value> {
  // A pod that has done what it was made for is not ready either.
  if (isConditionReady(resource) || text(resource, "status", "phase") === "Succeeded")
    return { status: "healthy" };
  return { status: "unhealthy", status_reason: conditionMessage(resource) };
}

/** What stands behind the name of an image: `registry:5000/shop/web:1.2@sha256:…` is of version 1.2. */
const imageVersion = (image: string): string =>
  /:([^:/]+)$/.exec(image.split("@")[0] ?? "")?.[1] ?? "";

function podComponent(value: Value): Value {
  const pod = resourceOf(value);
  const name = text(pod, "metadata", "name");
  const namespace = text(pod, "metadata", "namespace");
  const address = text(at(pod, "status", "podIPs", 0), "ip") || text(pod, "status", "podIP");
  return {
    name,
    namespace,
    type: "KubernetesPod",
    external_id: `${namespace}/${name}`,
    labels: labelsOf(pod),
    logs: [{ name: "Kubernetes", type: "KubernetesPod" }],
    configs: [{ name, type: "Kubernetes::Pod" }],
    properties: [
      {
        ...said("version", imageVersion(text(at(pod, "spec", "containers", 0), "image"))),
        headline: true,
      },
      {
        name: "cpu",
        headline: true,
        unit: "millicores",
        ...bound(resourcesOf(pod, "limits", "cpu")),
      },
      {
        name: "memory",
        headline: true,
        unit: "bytes",
        ...bound(resourcesOf(pod, "limits", "memory")),
      },
      said("node", text(pod, "spec", "nodeName")),
      said("created", text(pod, "metadata", "creationTimestamp")),
      said("ip", address),
    ],
    ...stateOf(pod),
  };
}

/** What of a node's own account of itself says nothing to people, or is said already. */
const untoldInfo = new Set([
  "bootID",
  "machineID",
  "systemUUID",
  "architecture",
  "operatingSystem",
  "osImage",
]);

function nodeComponent(value: Value): Value {
  const node = resourceOf(value);
  const name = text(node, "metadata", "name");
  const label = (key: string) => text(node, "metadata", "labels", key);
  const allocatable = (what: string) => at(node, "status", "allocatable", what);
  const info = at(node, "status", "nodeInfo");
  const addresses = (
    [
      ["ip", "InternalIP"],
      ["externalIp", "ExternalIP"],
    ] as const
  ).flatMap(([property, type]) => {
    const found = list(node, "status", "addresses").find((one) => text(one, "type") === type);
    return found === undefined ? [] : [said(property, text(found, "address"))];
  });
  const system = text(info, "osImage");
  return {
    name: nodeName(name),
    type: "KubernetesNode",
    external_id: name,
    labels: filterLabels(at(node, "metadata", "labels")),
    selectors: [{ fieldSelector: `node=${name}` }],
    logs: [{ name: "Kubernetes", type: "KubernetesNode" }],
    configs: [{ name, type: "Kubernetes::Node" }],
    properties: [
      {
        name: "cpu",
        min: 0,
        unit: "millicores",
        headline: true,
        ...bound(cpuAsMillicores(allocatable("cpu"))),
      },
      {
        name: "memory",
        unit: "bytes",
        headline: true,
        ...bound(memoryAsBytes(allocatable("memory"))),
      },
      {
        name: "ephemeral-storage",
        unit: "bytes",
        ...bound(memoryAsBytes(allocatable("ephemeral-storage"))),
      },
      said(
        "instance-type",
        label("beta.kubernetes.io/instance-type") || label("node.kubernetes.io/instance-type"),
      ),
      said("zone", label("topology.kubernetes.io/zone")),
      said("ami", label("eks.amazonaws.com/nodegroup-image")),
      ...addresses,
      said("os", system && `${system}(${text(info, "architecture")})`),
      ...Object.entries(isMapping(info) ? info : {}).flatMap(([key, one]) =>
        untoldInfo.has(key) || typeof one !== "string"
          ? []
          : [said(key.replace("Version", ""), one)],
      ),
    ],
    ...stateOf(node),
  };
}

/** A component for each pod. @throws when an amount is no quantity */
export const podTopology = (results: Value): Value => itemsOf(results).map(podComponent);
/** A component for each node. @throws when an amount is no quantity */
export const nodeTopology = (results: Value): Value => itemsOf(results).map(nodeComponent);

const used = (name: string, cpu: bigint, memory: bigint): Value => ({
  name,
  properties: [
    { name: "cpu", value: cpu },
    { name: "memory", value: memory },
  ],
});

/** What each node uses, out of the metrics API. @throws when an amount is no quantity */
export const nodeMetrics = (results: Value): Value =>
  itemsOf(results).map((one) => {
    const node = resourceOf(one);
    const usage = (what: string) => at(node, "usage", what);
    return used(
      nodeName(text(node, "metadata", "name")),
      cpuAsMillicores(usage("cpu")),
      memoryAsBytes(usage("memory")),
    );
  });

/** What the containers of each pod use together, out of the metrics API. @throws when an amount is no quantity */
export const podMetrics = (results: Value): Value =>
  itemsOf(results).map((one) => {
    const pod = resourceOf(one);
    const sum = (what: string, count: (value: Value) => bigint) =>
      list(pod, "containers").reduce<bigint>(
        (all, container) => all + count(at(container, "usage", what)),
        0n,
      );
    return used(
      text(pod, "metadata", "name"),
      sum("cpu", cpuAsMillicores),
      sum("memory", memoryAsBytes),
    );
  });
