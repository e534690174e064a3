import { healthOf, type HealthStatus } from "@mainstay/scripting/functions/kubernetes-health.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** In the place of what a Secret holds. */
const hidden = "********";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export interface JudgedObject {
  object: KubernetesObject;
  health: HealthStatus;
}

/** The health is what scripts get from `k8s.getHealth`. */
export const judged = (object: KubernetesObject, now?: number): JudgedObject => ({
  object,
  health: healthOf(object as never, now),
});

/** As scripts and people may see it: without who set which field, and of a Secret without what it holds. */
export function readable(object: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...metadata } = object.metadata;
  if (object.kind !== "Secret") return { ...object, metadata };
  const covered = (values: unknown) =>
    Object.fromEntries(Object.keys(values ?? {}).map((key) => [key, hidden]));
  const { [lastApplied]: _copy, ...annotations } = metadata.annotations ?? {};
  return {
    ...object,
    metadata: { ...metadata, ...(metadata.annotations && { annotations }) },
    ...(object.data !== undefined && { data: covered(object.data) }),
    ...(object.stringData !== undefined && { stringData: covered(object.stringData) }),
  };
}

/** How scripts know an object: under `Object`, with how it is. */
export const forScripts = ({ object, health }: JudgedObject) => ({
  Object: { ...readable(object), healthStatus: { ...health } },
});

/** A line of it for the result that is stored. */
export const summary = ({ object, health }: JudgedObject) => ({
  kind: object.kind,
  ...(object.metadata.namespace && { namespace: object.metadata.namespace }),
  name: object.metadata.name,
  health: health.health,
  status: health.status,
  ...(health.message && { message: health.message.slice(0, 500) }),
  ready: health.ready,
});

/** `shop/web`, or the name alone of what is in no namespace. */
export const nameOf = ({ metadata }: KubernetesObject): string =>
  [metadata.namespace, metadata.name].filter(Boolean).join("/");
