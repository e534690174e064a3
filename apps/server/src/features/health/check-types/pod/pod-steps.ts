import { healthOf } from "@mainstay/scripting/functions/kubernetes-health.ts";
import { coreKinds } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { isMissing } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { waitUntil } from "../kubernetes/wait-until.ts";

/** What a pod did not do, in words. */
export class PodTrouble extends Error {}

interface Place {
  namespace: string;
  name: string;
}

interface Condition {
  type?: string;
  status?: string;
  message?: string;
  reason?: string;
}

interface PodStatus {
  phase?: string;
  podIP?: string;
  conditions?: Condition[];
}

export const statusOf = ({ status }: KubernetesObject): PodStatus => status ?? {};

const conditionOf = (pod: KubernetesObject, type: string): Condition | undefined =>
  statusOf(pod).conditions?.find((condition) => condition.type === type);

export const nodeOf = (pod: KubernetesObject): string | undefined =>
  (pod.spec as { nodeName?: string } | undefined)?.nodeName || undefined;

/** `Pending`, or `ImagePullBackOff: Back-off pulling image`. */
function saidOf(pod: KubernetesObject | undefined): string {
  if (!pod) return "";
  const { status, message } = healthOf(pod as never);
  const scheduling = conditionOf(pod, "PodScheduled");
  const why = message || (scheduling?.status === "False" ? (scheduling.message ?? "") : "");
  return [status, why.slice(0, 500)].filter(Boolean).join(": ");
}

/** Looks at a pod until it is as wanted. Rejects with `PodTrouble` when the time is over. */
export async function waitForPod(
  client: KubernetesClient,
  place: Place,
  {
    what,
    isThere,
    timeoutMs,
    signal,
  }: {
    /** Completes "the pod … was not …". */
    what: string;
    isThere: (pod: KubernetesObject) => boolean;
    timeoutMs?: number | undefined;
    signal: AbortSignal;
  },
): Promise<KubernetesObject> {
  let last: KubernetesObject | undefined;
  const found = await waitUntil(
    async () => {
      last = await client.get(coreKinds.pod, place);
      return isThere(last) ? last : undefined;
    },
    { signal, timeoutMs },
  );
  if (found) return found;
  const said = saidOf(last);
  throw new PodTrouble(
    `the pod ${place.name} was not ${what} within ${timeoutMs} ms${said ? `: ${said}` : ""}`,
  );
}

export const isScheduled = (pod: KubernetesObject): boolean =>
  nodeOf(pod) !== undefined || conditionOf(pod, "PodScheduled")?.status === "True";

/** Ready; a pod that has ended will never be. */
export function isReadyPod(pod: KubernetesObject): boolean {
  const { phase } = statusOf(pod);
  if (phase === "Failed" || phase === "Succeeded")
    throw new PodTrouble(
      `the pod ${pod.metadata.name} ended before it was ready: ${saidOf(pod) || phase}`,
    );
  return conditionOf(pod, "Ready")?.status === "True";
}

/** Waits until an object is gone. */
export async function isGone(
  look: () => Promise<KubernetesObject>,
  waiting: { signal: AbortSignal; timeoutMs?: number | undefined },
): Promise<boolean> {
  const gone = await waitUntil(async () => {
    try {
      await look();
      return undefined;
    } catch (error) {
      if (isMissing(error)) return true;
      throw error;
    }
  }, waiting);
  return gone === true;
}
