import { groupOf } from "#platform/kubernetes/kinds.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { readable } from "#platform/kubernetes/readable.ts";
import { isObject, type Json, type JsonObject } from "../../changes/json-patch.ts";

/*
 * What of an object changes without anybody having changed anything: who set which field, how often it was written,
 * that somebody is still alive, what was measured last.
 */

const noisyMetadata = new Set(["managedFields", "resourceVersion", "selfLink"]);

/** Copies of the whole object, and marks that programs renew. */
const noisyAnnotations = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "kapp.k14s.io/original",
  "objectset.rio.cattle.io/applied",
  "banzaicloud.com/last-applied",
  "control-plane.alpha.kubernetes.io/leader",
  "endpoints.kubernetes.io/last-change-trigger-time",
  "autoscaling.alpha.kubernetes.io/current-metrics",
  "autoscaling.alpha.kubernetes.io/conditions",
  "reconcile.fluxcd.io/requestedAt",
  "argocd.argoproj.io/refresh",
]);

/** Of a status, what says only when somebody looked last. */
const heartbeats = new Set([
  "lastCheck",
  "lastHandledReconcileAt",
  "lastHeartbeatTime",
  "lastProbeTime",
  "lastReconcileTime",
  "lastRun",
  "lastRunTime",
  "lastSyncTime",
  "lastUpdateTime",
  "observedAt",
  "reconciledAt",
  "refreshTime",
]);

/** Of the spec and the status of single kinds, what is measured or counted, by group and kind. */
const measured: Readonly<Record<string, { spec?: readonly string[]; status?: readonly string[] }>> =
  {
    "/Node": { status: ["images"] },
    "coordination.k8s.io/Lease": { spec: ["renewTime"] },
    "batch/CronJob": { status: ["lastScheduleTime", "lastSuccessfulTime", "active"] },
    "autoscaling/HorizontalPodAutoscaler": {
      status: ["currentMetrics", "currentCPUUtilizationPercentage"],
    },
    "autoscaling.k8s.io/VerticalPodAutoscaler": { status: ["recommendation"] },
    "canaries.flanksource.com/Canary": {
      status: ["latency1h", "uptime1h", "checkStatus", "lastTransitionedTime"],
    },
  };

const without = (object: JsonObject, isNoise: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !isNoise(key)));

function quietStatus(status: Json, noise: readonly string[]): Json {
  if (!isObject(status)) return status;
  const quiet = without(status, (key) => heartbeats.has(key) || noise.includes(key));
  const { conditions } = quiet;
  if (!Array.isArray(conditions)) return quiet;
  return {
    ...quiet,
    conditions: (conditions as readonly Json[]).map((one) =>
      isObject(one) ? without(one, (key) => heartbeats.has(key)) : one,
    ),
  };
}

/** An object as it is kept: what a Secret holds never is. */
export function withoutNoise(object: KubernetesObject): JsonObject {
  const { metadata, spec, status, ...rest } = readable(object) as unknown as JsonObject;
  const noise = measured[`${groupOf({ apiVersion: object.apiVersion ?? "" })}/${object.kind}`];
  const { annotations, ...own } = without(metadata as JsonObject, (key) => noisyMetadata.has(key));
  const kept = isObject(annotations)
    ? without(annotations, (key) => noisyAnnotations.has(key))
    : {};
  return {
    ...rest,
    metadata: { ...own, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    ...(spec !== undefined && {
      spec:
        isObject(spec) && noise?.spec ? without(spec, (key) => noise.spec!.includes(key)) : spec,
    }),
    ...(status !== undefined && { status: quietStatus(status, noise?.status ?? []) }),
  };
}
