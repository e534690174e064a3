import { LRUCache } from "lru-cache";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { CheckInput, CheckOutcome } from "../check-type.ts";
import { failed, failedBy, inMs, passed } from "../check-type.ts";
import type { ClusterWork } from "../kubernetes/in-cluster.ts";
import { BadManifest } from "./pod-manifest.ts";
import type { PodRun } from "./live-pod.ts";
import { PodTrouble } from "./pod-steps.ts";

/** Time for deleting what was made, also when the run is over. */
const cleanUpMs = 30_000;

interface Made {
  kind: Kind;
  name: string;
  namespace?: string;
}

/** Runs until the deadline, and deletes what was made whatever comes of it. */
export async function runLife(
  { clientFor }: Pick<ClusterWork, "clientFor">,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs?: number | undefined },
  work: (parts: { signal: AbortSignal; made: (one: Made) => void }) => Promise<PodRun>,
  run: PodRun,
): Promise<CheckOutcome> {
  const late = deadlineMs ? AbortSignal.timeout(deadlineMs) : undefined;
  const made: Made[] = [];
  const details = run as unknown as Record<string, unknown>;
  try {
    await work({
      signal: late ? AbortSignal.any([signal, late]) : signal,
      made: (one) => made.push(one),
    });
    const total = run.deleted ?? 0;
    return passed(summaryOf(run), { details, durationMs: total });
  } catch (error) {
    if (signal.aborted) throw error;
    if (late?.aborted) return failed(`not done by the deadline of ${deadlineMs} ms`, { details });
    if (error instanceof BadManifest) return failed(error.message, { invalid: true });
    if (error instanceof PodTrouble) return failed(error.message, { details });
    return failedBy(error, { details });
  } finally {
    const client = clientFor(AbortSignal.timeout(cleanUpMs));
    // What was made last goes first. Most of it is gone already.
    const left: string[] = [];
    for (const { kind, name, namespace } of made.toReversed())
      await client
        .delete(kind, { name, namespace })
        .catch((error: Error) => left.push(`${kind.kind} "${name}": ${error.message}`));
    if (left.length > 0) details.leftBehind = left;
  }
}

const summaryOf = ({ scheduled, ready, answered, deleted }: PodRun): string =>
  [
    ["scheduled", scheduled],
    ["ready", ready],
    ["answered", answered],
    ["gone", deleted],
  ]
    .flatMap(([what, ms]) => (typeof ms === "number" ? [`${what} after ${inMs(ms)}`] : []))
    .join(", ");

const turns = new LRUCache<string, number>({ max: 1000 });

/** One of the nodes that take pods: for each check another every time. */
export async function pickNode(
  client: KubernetesClient,
  mark: string,
): Promise<string | undefined> {
  const { objects } = await client.list(coreKinds.node);
  const open = objects.filter(takesPods).map(hostOf).toSorted();
  const turn = turns.get(mark) ?? 0;
  turns.set(mark, turn + 1);
  return open[turn % open.length];
}

function takesPods({ spec, status }: KubernetesObject): boolean {
  const { unschedulable, taints = [] } = (spec ?? {}) as {
    unschedulable?: boolean;
    taints?: { effect?: string }[];
  };
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  const isReady = conditions.some((one) => one.type === "Ready" && one.status === "True");
  return isReady && !unschedulable && !taints.some(({ effect }) => effect === "NoSchedule");
}

const hostOf = ({ metadata }: KubernetesObject): string =>
  metadata.labels?.["kubernetes.io/hostname"] ?? metadata.name ?? "";

/** Where the pods of a check belong. */
export const namespaceOf = (
  spec: { namespace?: unknown },
  { namespace }: Pick<CheckInput<unknown>, "namespace">,
): string => (typeof spec.namespace === "string" && spec.namespace) || namespace || "default";
