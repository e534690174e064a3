import { at, list, number, text, time } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import { healthOf, withoutAge } from "@mainstay/scripting/functions/kubernetes-health.ts";
import { quantityOf } from "@mainstay/scripting/functions/kubernetes-resources.ts";
import type { Value } from "@mainstay/scripting";
import { groupOf } from "#platform/kubernetes/kinds.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { Property, ScrapedItem } from "../../scraping/scraped.ts";
import { aliasOf, applicationAlias, clusterId, nameOf, typeOf } from "./object-names.ts";
import {
  deploymentOf,
  isApplication,
  parentsOf,
  type RelationParts,
  relationsOf,
} from "./relations.ts";
import { annotations } from "./wanted.ts";
import { withoutNoise } from "./without-noise.ts";

export interface ItemParts extends RelationParts {
  now: Date;
}

/** The cluster itself, above everything in it. */
export function clusterItem(cluster: string, version: Record<string, unknown>): ScrapedItem {
  const words = Object.entries(version).flatMap(([key, value]) =>
    typeof value === "string" ? [[key, value] as const] : [],
  );
  const { gitVersion, platform } = Object.fromEntries(words);
  return {
    externalId: clusterId(cluster),
    aliases: [],
    type: "Kubernetes::Cluster",
    configClass: "Cluster",
    name: cluster,
    config: Object.fromEntries(words),
    labels: {},
    tags: { cluster },
    properties: [property("version", gitVersion), property("platform", platform)].flat(),
    parents: [],
    relations: [],
  };
}

/** What an object is in the catalog. One without a uid is none: it was made for the answer. */
export function objectItem(object: KubernetesObject, parts: ItemParts): ScrapedItem | undefined {
  const { cluster, now } = parts;
  const { apiVersion = "", kind = "", metadata } = object;
  const { uid, name, namespace } = metadata;
  if (!uid || !name) return undefined;
  const value = object as Value;
  const { health, status, message, ready } = healthOf(value, now.getTime());
  const description = withoutAge(message);
  const created = time(value, "metadata", "creationTimestamp");
  const evicted = evictedAt(value, kind);
  return {
    externalId: uid,
    aliases: [
      aliasOf(cluster, nameOf(object)),
      ...(isApplication(object) ? [applicationAlias(cluster, name)] : []),
    ],
    type: typeOf(groupOf({ apiVersion }), kind),
    configClass: kind,
    name,
    config: withoutNoise(object),
    ...(status && { status }),
    health,
    ready,
    ...(description && { description }),
    labels: { ...labelsOf(object), apiVersion },
    tags: { cluster, ...(namespace && { namespace }), ...tagsIn(metadata.annotations) },
    properties: Object.hasOwn(properties, kind) ? properties[kind]!(value).flat() : [],
    ...(created !== undefined && { createdAt: new Date(created) }),
    ...(evicted !== undefined && {
      deletedAt: new Date(evicted),
      deleteReason: "FROM_ATTRIBUTE" as const,
    }),
    parents: parentsOf(object, cluster),
    relations: relationsOf(object, parts),
  };
}

function labelsOf(object: KubernetesObject): Record<string, string> {
  const { kind, metadata } = object;
  const { labels = {} } = metadata;
  if (kind !== "Pod") return labels;
  const node = text(object as Value, "spec", "nodeName");
  return { ...labels, ...(node && { node }), ...workloadOf(object) };
}

/** What makes the pod, as a label: `deployment`, `statefulset`, `daemonset`, `job`. */
function workloadOf(pod: KubernetesObject): Record<string, string> {
  const owner = list(pod as Value, "metadata", "ownerReferences")[0] ?? null;
  const [kind, name] = [text(owner, "kind"), text(owner, "name")];
  if (["StatefulSet", "DaemonSet", "Job"].includes(kind)) return { [kind.toLowerCase()]: name };
  const deployment = deploymentOf(pod);
  return deployment ? { deployment } : {};
}

/** `team=shop,tier=1`; a colon is read, too. */
function tagsIn(own: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(
    (own?.[annotations.tags] ?? "").split(",").flatMap((pair) => {
      const [, name, tag] = /^\s*([^=:]+?)\s*[=:]\s*(.*?)\s*$/.exec(pair) ?? [];
      return name && tag ? [[name, tag]] : [];
    }),
  );
}

/** A pod that had to go stays in the list, and is gone. */
function evictedAt(pod: Value, kind: string): number | undefined {
  if (kind !== "Pod" || text(pod, "status", "reason") !== "Evicted") return undefined;
  const times = [
    ...list(pod, "status", "conditions").map((one) => time(one, "lastTransitionTime")),
    ...list(pod, "status", "containerStatuses").map((one) =>
      time(one, "state", "terminated", "finishedAt"),
    ),
  ].filter((one) => one !== undefined);
  return times.length > 0
    ? Math.max(...times)
    : (time(pod, "status", "startTime") ?? time(pod, "metadata", "creationTimestamp"));
}

const property = (name: string, told: string | undefined, more: Property = {}): Property[] =>
  told ? [{ name, text: told, ...more }] : [];

const amount = (name: string, quantity: Value, unit: string): Property[] => {
  try {
    return quantity === null ? [] : [{ name, value: quantityOf(quantity), unit }];
  } catch {
    // Somebody wrote no quantity; the object has it as it is.
    return [];
  }
};

const imagesOf = (podSpec: Value): string =>
  [...new Set(list(podSpec, "containers").map((one) => text(one, "image")))].join(", ");

const template = (object: Value): Property[][] => [
  property("image", imagesOf(at(object, "spec", "template", "spec"))),
];

const replicated = (object: Value): Property[][] => [
  [{ name: "replicas", value: number(object, "spec", "replicas") ?? 1, headline: true }],
  ...template(object),
];

/** What is said of objects beside their whole, by kind. */
const properties: Readonly<Record<string, (object: Value) => Property[][]>> = {
  Pod: (pod) => [
    property("image", imagesOf(at(pod, "spec"))),
    property("node", text(pod, "spec", "nodeName"), { headline: true }),
    property("ip", text(pod, "status", "podIP")),
  ],
  Node: (node) => [
    amount("cpu", at(node, "status", "allocatable", "cpu"), "cores"),
    amount("memory", at(node, "status", "allocatable", "memory"), "bytes"),
    amount("pods", at(node, "status", "allocatable", "pods"), "pods"),
    property("version", text(node, "status", "nodeInfo", "kubeletVersion"), { headline: true }),
    property("system", text(node, "status", "nodeInfo", "osImage")),
    property("zone", text(node, "metadata", "labels", "topology.kubernetes.io/zone")),
  ],
  Deployment: replicated,
  StatefulSet: replicated,
  DaemonSet: template,
  CronJob: (job) => [
    property("schedule", text(job, "spec", "schedule"), { headline: true }),
    property("last run", text(job, "status", "lastScheduleTime"), { type: "age" }),
    property("last success", text(job, "status", "lastSuccessfulTime"), { type: "age" }),
  ],
  Service: (service) => [
    property("type", text(service, "spec", "type"), { headline: true }),
    property("cluster ip", text(service, "spec", "clusterIP")),
    property(
      "ports",
      list(service, "spec", "ports")
        .map((port) => `${number(port, "port") ?? ""}/${text(port, "protocol") || "TCP"}`)
        .join(", "),
    ),
  ],
  Ingress: (ingress) => {
    const secured = new Set(
      list(ingress, "spec", "tls").flatMap((tls) =>
        list(tls, "hosts").filter((host) => typeof host === "string"),
      ),
    );
    return [...new Set(list(ingress, "spec", "rules").map((rule) => text(rule, "host")))].map(
      (host) =>
        property("host", host, {
          // A pattern is no address.
          ...(!host.includes("*") && {
            links: [{ text: host, url: `http${secured.has(host) ? "s" : ""}://${host}` }],
          }),
        }),
    );
  },
  PersistentVolumeClaim: (claim) => [
    amount("size", at(claim, "status", "capacity", "storage"), "bytes"),
    property("storage class", text(claim, "spec", "storageClassName")),
  ],
  PersistentVolume: (volume) => [
    amount("size", at(volume, "spec", "capacity", "storage"), "bytes"),
    property("storage class", text(volume, "spec", "storageClassName")),
  ],
};
