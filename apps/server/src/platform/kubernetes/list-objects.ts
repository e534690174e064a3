import { placeOf } from "../outbound/http/address.ts";
import { AnswerTooLong, type AskOptions, askForJson } from "./ask-cluster.ts";
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
  { most = mostObjects, ...wanted }: ListOptions,
  cluster: Cluster,
  ask: AskOptions,
): Promise<ObjectList> {
  const objects: KubernetesObject[] = [];
  let room = mostBytes;
  let pages = 0;
  let isCut = false;
  const limits = {
    most: () => Math.min(room, mostOfPage),
    onLength: (bytes: number) => (room -= bytes),
  };
  for await (const page of pagesOf(kind, wanted, cluster, { ...ask, ...limits })) {
    pages += 1;
    objects.push(...page.objects);
    isCut = page.isMore;
    if (objects.length >= most || pages >= mostPages) break;
  }
  return { objects: objects.slice(0, most), isCut: isCut || objects.length > most };
}

export interface Page {
  objects: KubernetesObject[];
  /** When the list was, as the cluster counts: what has happened since can be asked for. */
  resourceVersion: string;
  isMore: boolean;
}

export interface PageOptions extends AskOptions {
  /** Bytes of one page; a page that would have more is asked for in smaller ones when absent. */
  most?: () => number;
  onLength?: (bytes: number) => void;
}

/**
 * The pages of a list, one after the other. When the cluster forgets it in its middle, the rest is that of another moment:
 * what is there all the while is in it, once. Rejects with code 410 when the rest cannot be had either.
 */
export async function* pagesOf(
  kind: Kind,
  { namespace, labelSelector, fieldSelector }: Omit<ListOptions, "most">,
  cluster: Cluster,
  { most, onLength, ...ask }: PageOptions,
): AsyncGenerator<Page> {
  const task = `list ${kind.kind}${inNamespace(namespace)}`;
  let limit = pageSize;
  let forgotten: string | undefined;
  for (let next: string | undefined; ;) {
    const query = { limit, continue: next, labelSelector, fieldSelector };
    const question = {
      path: pathOfKind(kind, namespace),
      query,
      task,
      ...(onLength && { onLength }),
      most: most?.() ?? mostOfPage,
    };
    let page: Record<string, unknown>;
    try {
      page = await askForJson(cluster, question, ask);
    } catch (error) {
      const isForgotten = error instanceof KubernetesError && error.code === 410;
      const rest = isForgotten && next !== forgotten ? error.next : undefined;
      if (rest !== undefined) {
        forgotten = next = rest;
        continue;
      }
      if (!(error instanceof AnswerTooLong) || most || limit === 1) throw error;
      limit = Math.ceil(limit / 5);
      continue;
    }
    if (!Array.isArray(page.items))
      throw new Error(
        `cannot ${task}: ${placeOf(cluster.url)} does not answer as a Kubernetes cluster`,
      );
    const { continue: token, resourceVersion } = (page.metadata ?? {}) as Record<string, unknown>;
    next = typeof token === "string" && token !== "" ? token : undefined;
    yield {
      // Elements of a list do not say what they are.
      objects: page.items
        .filter(isObject)
        .map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind })),
      resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
      isMore: next !== undefined,
    };
    if (next === undefined) return;
  }
}
