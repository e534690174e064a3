import { isMapping, type Value } from "../values.ts";
import { at, list, resourceOf, text } from "./kubernetes-fields.ts";
import { cpuAsMillicores, labelsOf, memoryAsBytes, resourcesOf } from "./kubernetes-resources.ts";

/**
 * Components of what a check of a cluster has found, as JavaScript of topologies asks for them by name. Source of the names
 * and of what each has: the reference's own script library, in its last version.
 */

/** What a check hands to scripts: a list of `{Object}`. */
const found = (results: Value): readonly Value[] => list(results).map(resourceOf);

const conditions = (resource: Value) => list(resource, "status", "conditions");

/** Whether no condition says that it is not ready; of what has none, whether it is said to be well. */
export function isReadyByCondition(value: Value): boolean {
  const resource = resourceOf(value);
  const all = conditions(resource);
  if (all.length === 0) return /^healthy$/i.test(text(resource, "healthStatus", "status"));
  return all.every((one) => text(one, "type") !== "Ready" || text(one, "status") === "True");
}

/** The conditions that do not hold, by type. */
export function unmetConditions(value: Value): string {
  const resource = resourceOf(value);
  if (!isMapping(at(resource, "status"))) return "No status found";
  if (at(resource, "status", "conditions") === null) return "no conditions found";
  return conditions(resource)
    .filter((one) => text(one, "status") !== "True")
    .map((one) => text(one, "type"))
    .join(" ");
}

/** Why conditions do not hold, the oldest first. */
export function whyUnmet(value: Value): string {
  const resource = resourceOf(value);
  if (!isMapping(at(resource, "status"))) return "No status found";
  if (at(resource, "status", "conditions") === null) return "no conditions found";
  const since = (one: Value) => text(one, "lastTransitionTime");
  return conditions(resource)
    .filter((one) => text(one, "status") === "False")
    .toSorted((one, other) => since(one).localeCompare(since(other)))
    .map((one) => {
      const message = text(one, "message");
      const why = `${since(one)}: ${text(one, "type")} is ${text(one, "reason")}`;
      return message === "" ? why : `${why} with ${message}`;
    })
    .join(", ");
}

/** A node is called by its host, without the domain that all nodes of Amazon have. */
export const nodeName = (name: string): string => name.replace(".compute.internal", "");

/** Without those that are only sums over a template. */
export const withoutHashes = (labels: Value): Value =>
  Object.fromEntries(
    Object.entries(isMapping(labels) ? labels : {}).filter(([name]) => !name.endsWith("-hash")),
  );

function stateOf(resource: Value): Record<string, Value> {
  if (isReadyByCondition(resource)) return { status: "healthy", health: "healthy" };
  return { status: "unhealthy", health: "unhealthy", status_reason: unmetConditions(resource) };
}

/** Nothing where there is no limit: there is no bar to be drawn then. */
const limit = (amount: bigint): Record<string, Value> => (amount === 0n ? {} : { max: amount });

/** Behind the last colon of an image that has a tag: `registry:5000/shop/web:1.2@sha256:…` has `1.2`. */
function versionOf(image: string): string {
  const [named = ""] = image.split("@", 1);
  return named.split("/").at(-1)!.split(":")[1] ?? "";
}

export const podTopology = (results: Value): Value =>
  found(results).map((pod): Value => {
    const name = text(pod, "metadata", "name");
    const namespace = text(pod, "metadata", "namespace");
    return {
      name,
      namespace,
      type: "KubernetesPod",
      labels: labelsOf(pod),
      logs: [{ name: "Kubernetes", type: "KubernetesPod" }],
      external_id: `${namespace}/${name}`,
      configs: [{ name, type: "Kubernetes::Pod" }],
      properties: [
        {
          name: "version",
          text: versionOf(text(at(pod, "spec", "containers", 0), "image")),
          headline: true,
        },
        {
          name: "cpu",
          headline: true,
          unit: "millicores",
          ...limit(resourcesOf(pod, "limits", "cpu")),
        },
        {
          name: "memory",
          headline: true,
          unit: "bytes",
          ...limit(resourcesOf(pod, "limits", "memory")),
        },
        { name: "node", text: text(pod, "spec", "nodeName") },
        { name: "created", text: text(pod, "metadata", "creationTimestamp") },
        { name: "ip", text: text(pod, "status", "podIP") },
      ],
      ...stateOf(pod),
    };
  });

/** Of `nodeInfo`, what only tells one machine from another, or is said elsewhere. */
const unsaid = new Set([
  "bootID",
  "machineID",
  "systemUUID",
  "architecture",
  "operatingSystem",
  "osImage",
]);

export const nodeTopology = (results: Value): Value =>
  found(results).map((node): Value => {
    const name = text(node, "metadata", "name");
    const label = (key: string) => text(node, "metadata", "labels", key);
    const allocatable = (what: string) => at(node, "status", "allocatable", what);
    const address = (type: string, called: string): Value[] => {
      const one = list(node, "status", "addresses").find((each) => text(each, "type") === type);
      return one === undefined ? [] : [{ name: called, text: text(one, "address") }];
    };
    const info = at(node, "status", "nodeInfo");
    return {
      name: nodeName(name),
      type: "KubernetesNode",
      external_id: name,
      labels: withoutHashes(at(node, "metadata", "labels")),
      selectors: [{ fieldSelector: `node=${name}` }],
      logs: [{ name: "Kubernetes", type: "KubernetesNode" }],
      configs: [{ name, type: "Kubernetes::Node" }],
      properties: [
        {
          name: "cpu",
          min: 0,
          unit: "millicores",
          headline: true,
          max: cpuAsMillicores(allocatable("cpu")),
        },
        {
          name: "memory",
          unit: "bytes",
          headline: true,
          max: memoryAsBytes(allocatable("memory")),
        },
        {
          name: "ephemeral-storage",
          unit: "bytes",
          max: memoryAsBytes(allocatable("ephemeral-storage")),
        },
        {
          name: "instance-type",
          text:
            label("node.kubernetes.io/instance-type") || label("beta.kubernetes.io/instance-type"),
        },
        { name: "zone", text: label("topology.kubernetes.io/zone") },
        { name: "ami", text: label("eks.amazonaws.com/nodegroup-image") },
        ...address("InternalIP", "ip"),
        ...address("ExternalIP", "externalIp"),
        { name: "os", text: `${text(info, "osImage")} (${text(info, "architecture")})` },
        ...Object.entries(isMapping(info) ? info : {})
          .filter(([key, value]) => !unsaid.has(key) && typeof value === "string")
          .map(([key, value]) => ({ name: key.replace("Version", ""), text: value })),
      ],
      ...stateOf(node),
    };
  });

const used = (name: string, cpu: bigint, memory: bigint): Value => ({
  name,
  properties: [
    { name: "cpu", value: cpu },
    { name: "memory", value: memory },
  ],
});

/** What nodes use, of `NodeMetrics`: properties for the components of the same names. */
export const nodeMetrics = (results: Value): Value =>
  found(results).map((node) =>
    used(
      nodeName(text(node, "metadata", "name")),
      cpuAsMillicores(at(node, "usage", "cpu")),
      memoryAsBytes(at(node, "usage", "memory")),
    ),
  );

/** What pods use, of `PodMetrics`: all their containers together. */
export const podMetrics = (results: Value): Value =>
  found(results).map((pod): Value => {
    const sum = (what: string, count: (amount: Value) => bigint) =>
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
