import { healthOf, type HealthStatus } from "@mainstay/scripting/functions/kubernetes-health.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { readable } from "#platform/kubernetes/readable.ts";

export interface JudgedObject {
  object: KubernetesObject;
  health: HealthStatus;
}

/** The health is what scripts get from `k8s.getHealth`. */
export const judged = (object: KubernetesObject, now?: number): JudgedObject => ({
  object,
  health: healthOf(object as never, now),
});

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
