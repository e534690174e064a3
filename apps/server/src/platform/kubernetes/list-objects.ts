import { placeOf } from "../outbound/http/address.ts";
import { type AskOptions, askForJson } from "./ask-cluster.ts";
import type { Cluster } from "./cluster.ts";
import { type Kind, pathOfKind } from "./kinds.ts";
import { KubernetesError } from "./kubernetes-error.ts";

/** An object of Kubernetes, as it stands in its manifest. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMetadata;
  [key: string]: unknown;
}

export interface ObjectMetadata {
  name?: string;
  namespace?: string;
  uid?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [key: string]: unknown;
}

export interface ListOptions {
  /** All of them when absent. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** `mostObjects` when absent. */
  most?: number;
}

export interface ObjectList {
  objects: KubernetesObject[];
  /** There are more than were read. */
  isCut: boolean;
}

/** Objects that a list gathers at most. */
export const mostObjects = 5000;
const pageSize = 250;
/** A server that hands out empty pages for ever is left here. */
const mostPages = 100;
/** Of all pages of a list together, in bytes. */
const mostBytes = 64 * 1024 * 1024;
const mostOfPage = 32 * 1024 * 1024;

export const isObject = (value: unknown): value is KubernetesObject =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { metadata?: unknown }).metadata === "object" &&
  (value as { metadata?: unknown }).metadata !== null;

/** For the end of a sentence. */
export const inNamespace = (namespace: string | undefined): string =>
  namespace ? ` in the namespace "${namespace}"` : "";

/** One page after the other; once more from the beginning when the cluster has forgotten where it was. */
export async function listObjects(
  kind: Kind,
  options: ListOptions,
  cluster: Cluster,
  ask: AskOptions,
): Promise<ObjectList> {
  try {
    return await readPages(kind, options, cluster, ask);
  } catch (error) {
    const isForgotten = error instanceof KubernetesError && error.code === 410;
    if (!isForgotten) throw error;
    return readPages(kind, options, cluster, ask);
  }
}

async function readPages(
  kind: Kind,
  { namespace, labelSelector, fieldSelector, most = mostObjects }: ListOptions,
  cluster: Cluster,
  ask: AskOptions,
): Promise<ObjectList> {
  const task = `list ${kind.kind}${inNamespace(namespace)}`;
  const objects: KubernetesObject[] = [];
  let room = mostBytes;
  let next: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    const page = await askForJson(
      cluster,
      {
        path: pathOfKind(kind, namespace),
        query: { limit: pageSize, continue: next, labelSelector, fieldSelector },
        task,
        onLength: (bytes) => (room -= bytes),
        most: Math.min(room, mostOfPage),
      },
      ask,
    );
    if (!Array.isArray(page.items))
      throw new Error(
        `cannot ${task}: ${placeOf(cluster.url)} does not answer as a Kubernetes cluster`,
      );
    // Elements of a list do not say what they are.
    for (const item of page.items.filter(isObject))
      objects.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
    const token = (page.metadata as { continue?: unknown } | undefined)?.continue;
    next = typeof token === "string" && token !== "" ? token : undefined;
  } while (next !== undefined && objects.length < most && pages < mostPages);
  return {
    objects: objects.slice(0, most),
    isCut: next !== undefined || objects.length > most,
  };
}
