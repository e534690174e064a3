import { placeOf } from "../outbound/http/address.ts";
import { type AskOptions, askCluster, readJson } from "./ask-cluster.ts";
import type { Cluster } from "./cluster.ts";
import { type Kind, pathOfKind } from "./kinds.ts";
import { refusal } from "./kubernetes-error.ts";
import { inNamespace, isObject, type KubernetesObject, type ListOptions } from "./list-objects.ts";

export interface WatchOptions extends Omit<ListOptions, "most"> {
  /** What has happened after it is told. */
  resourceVersion: string;
  /** How long is waited for more. */
  seconds: number;
  /** How much longer an answer may take. */
  graceMs?: number;
}

export interface WatchedObject {
  object: KubernetesObject;
  isGone: boolean;
}

export interface Watched {
  objects: WatchedObject[];
  /** From where to go on. */
  resourceVersion: string;
  /** There is more, which can be asked for at once. */
  isCut: boolean;
}

/** A server that goes on telling beyond the time that it was asked for is left. */
const usualGraceMs = 20_000;
/** Bytes of what is told at a time; the rest is told the next time. */
const mostTold = 4 * 1024 * 1024;

/**
 * What has happened to the objects of a kind since, and for so many seconds on. Rejects with code 410 when the cluster no
 * longer knows: then they are to be listed.
 */
export async function watchObjects(
  kind: Kind,
  {
    namespace,
    labelSelector,
    fieldSelector,
    resourceVersion,
    seconds,
    graceMs = usualGraceMs,
  }: WatchOptions,
  cluster: Cluster,
  ask: AskOptions,
): Promise<Watched> {
  const task = `watch ${kind.kind}${inNamespace(namespace)}`;
  const place = placeOf(cluster.url);
  const late = AbortSignal.timeout(seconds * 1000 + graceMs);
  const body = await askCluster(
    cluster,
    {
      path: pathOfKind(kind, namespace),
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion,
        timeoutSeconds: seconds,
        labelSelector,
        fieldSelector,
      },
      task,
      most: mostTold,
      mayBeCut: true,
    },
    { ...ask, signal: AbortSignal.any([ask.signal, late]) },
  ).catch((error: unknown) => {
    ask.signal.throwIfAborted();
    if (late.aborted) throw new Error(`cannot ${task}: ${place} does not end its answer`);
    throw error;
  });
  const end = body.lastIndexOf(0x0a) + 1;
  const isCut = end < body.length;
  if (end === 0 && isCut) throw new Error(`cannot ${task}: one answer of ${place} is too long`);
  const watched: Watched = { objects: [], resourceVersion, isCut };
  for (const line of linesOf(body.subarray(0, end))) {
    const { type, object } = readJson(line, { cluster, task });
    if (type === "ERROR") {
      const { code } = (object ?? {}) as { code?: unknown };
      const answer = { code: Number(code) || 500, body: Buffer.from(JSON.stringify(object)) };
      throw refusal(answer, { place, task });
    }
    if (!isObject(object)) continue;
    const at = object.metadata.resourceVersion;
    if (typeof at === "string") watched.resourceVersion = at;
    if (type === "ADDED" || type === "MODIFIED" || type === "DELETED")
      watched.objects.push({ object, isGone: type === "DELETED" });
  }
  return watched;
}

function* linesOf(body: Buffer): Iterable<Buffer> {
  for (let from = 0; from < body.length;) {
    const end = body.indexOf(0x0a, from);
    if (end > from) yield body.subarray(from, end);
    from = end + 1;
  }
}
