import { isMapping, type Value } from "../values.ts";
import { at, list, resourceOf, text } from "./kubernetes-fields.ts";

/** What resources of Kubernetes use, are called and look like. */

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A quantity as Kubernetes writes it: `500m`, `1.5Gi`, `1e3`. @throws when it is none. */
export function quantityOf(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  const found =
    /^\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([numkMGTPE]|[KMGTPE]i)?\s*$/.exec(
      typeof value === "string" ? value : "",
    );
  if (!found) throw new Error(`${JSON.stringify(value)} is no quantity: 500m, 1.5Gi`);
  return Number(found[1]) * factors[found[2] ?? ""]!;
}

export const cpuAsMillicores = (value: Value): bigint =>
  value === "" || value === null ? 0n : BigInt(Math.round(quantityOf(value) * 1000));

export const memoryAsBytes = (value: Value): bigint =>
  value === "" || value === null ? 0n : BigInt(Math.trunc(quantityOf(value) + 1e-6));

/** What its containers may use together, or ask for. */
export function resourcesOf(value: Value, which: "limits" | "requests", name: string): bigint {
  const amounts = list(resourceOf(value), "spec", "containers").map((container) =>
    at(container, "resources", which, name),
  );
  const count = name === "cpu" ? cpuAsMillicores : memoryAsBytes;
  return amounts.reduce<bigint>((sum, amount) => sum + count(amount), 0n);
}

/** Its labels and namespace, without those that are only sums over a template. */
export function labelsOf(value: Value): Value {
  const resource = resourceOf(value);
  const labels = at(resource, "metadata", "labels");
  const namespace = text(resource, "metadata", "namespace");
  return Object.fromEntries([
    ...(namespace ? [["namespace", namespace] as const] : []),
    ...Object.entries(isMapping(labels) ? labels : {}).filter(([name]) => !name.endsWith("-hash")),
  ]);
}

export function podProperties(value: Value): Value {
  const resource = resourceOf(value);
  return [
    { name: "image", text: text(at(resource, "spec", "containers", 0), "image") },
    {
      name: "cpu",
      max: resourcesOf(resource, "limits", "cpu"),
      unit: "millicores",
      headline: true,
    },
    {
      name: "memory",
      max: resourcesOf(resource, "limits", "memory"),
      unit: "bytes",
      headline: true,
    },
    { name: "node", text: text(resource, "spec", "nodeName") },
    { name: "created_at", text: text(resource, "metadata", "creationTimestamp") },
    { name: "namespace", text: text(resource, "metadata", "namespace") },
  ];
}

export function nodeProperties(value: Value): Value {
  const resource = resourceOf(value);
  const allocatable = (name: string) => at(resource, "status", "allocatable", name);
  return [
    { name: "cpu", max: cpuAsMillicores(allocatable("cpu")), unit: "millicores", headline: true },
    { name: "memory", max: memoryAsBytes(allocatable("memory")), unit: "bytes", headline: true },
    {
      name: "ephemeral-storage",
      max: memoryAsBytes(allocatable("ephemeral-storage")),
      unit: "bytes",
      headline: true,
    },
    { name: "zone", text: text(resource, "metadata", "labels", "topology.kubernetes.io/zone") },
  ];
}

const noise = new Set([
  "managedFields",
  "resourceVersion",
  "uid",
  "selfLink",
  "generation",
  "creationTimestamp",
]);
const noisyAnnotations =
  /^(?:kubectl\.kubernetes\.io\/last-applied-configuration|deployment\.kubernetes\.io\/revision|control-plane\.alpha\.kubernetes\.io\/leader)$/;

/** Without what the cluster added: as somebody would write it. */
export function neat(value: Value): Value {
  const resource = resourceOf(value);
  if (!isMapping(resource)) return resource;
  const metadata = at(resource, "metadata");
  const annotations = at(metadata, "annotations");
  const kept = Object.entries(isMapping(annotations) ? annotations : {}).filter(
    ([name]) => !noisyAnnotations.test(name),
  );
  const neatMetadata = Object.fromEntries(
    Object.entries(isMapping(metadata) ? metadata : {}).flatMap(
      ([name, one]): [string, Value][] => {
        if (noise.has(name)) return [];
        if (name === "annotations")
          return kept.length > 0 ? [[name, Object.fromEntries(kept)]] : [];
        return [[name, one]];
      },
    ),
  );
  return Object.fromEntries(
    Object.entries(resource)
      .filter(([name]) => name !== "status")
      .map(([name, one]) => [name, name === "metadata" ? neatMetadata : one]),
  );
}

/** Whether a label is as one of the patterns says: `us-*`, `!production`, `!*` where there is none. */
export function matchesLabel(labels: Value, key: string, patterns: string): boolean {
  const found = isMapping(labels) && Object.hasOwn(labels, key) ? labels[key] : undefined;
  const value =
    found === undefined || found === null
      ? undefined
      : typeof found === "string"
        ? found
        : JSON.stringify(found);
  const all = patterns
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  if (value === undefined) return all.includes("!*");
  const isLike = (pattern: string) =>
    new RegExp(
      `^${pattern
        .toLowerCase()
        .split("*")
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"))
        .join(".*?")}$`,
      "s",
    ).test(value.toLowerCase());
  const [no, yes] = [
    all.filter((one) => one.startsWith("!")).map((one) => one.slice(1)),
    all.filter((one) => !one.startsWith("!")),
  ];
  if (no.some(isLike)) return false;
  return yes.length === 0 || yes.some(isLike);
}
