import { type KubernetesResourceSpec, parseDuration } from "@mainstay/contract";
import type { Context } from "@mainstay/scripting";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { CheckInput } from "../check-type.ts";
import { judged, nameOf } from "../kubernetes/readable-object.ts";
import { waitUntil } from "../kubernetes/wait-until.ts";
import { BadResource } from "./placed.ts";

const defaultTimeoutMs = 600_000;
const defaultIntervalMs = 5000;

interface Looking {
  look(): Promise<KubernetesObject[]>;
  /** What the expression sees. */
  seen(objects: KubernetesObject[]): Context;
}

export interface Waited {
  objects: KubernetesObject[];
  /** Why it was not as wanted. */
  error?: string;
}

const spanOf = (text: string | undefined, absent: number) =>
  text === undefined ? absent : parseDuration(text);

/** Waits until the expression holds, or until all objects are ready. */
export async function waitForAll(
  { spec, signal, lent }: Pick<CheckInput<KubernetesResourceSpec>, "spec" | "signal" | "lent">,
  { look, seen }: Looking,
): Promise<Waited> {
  const { disable, expr, timeout, interval } = spec.waitFor ?? {};
  let objects = await look();
  if (disable) return { objects };
  if (expr && !lent) throw new BadResource("waitFor.expr cannot be evaluated here");
  const isDone = async (): Promise<boolean> => {
    if (!expr) return objects.every(isSettled);
    return (await lent!.evaluate("waitFor.expr", expr, seen(objects))) === "true";
  };
  const timeoutMs = spanOf(timeout, defaultTimeoutMs);
  let isFirst = true;
  const done = await waitUntil(
    async () => {
      if (!isFirst) objects = await look();
      isFirst = false;
      return (await isDone()) ? true : undefined;
    },
    { signal, timeoutMs, everyMs: Math.max(100, spanOf(interval, defaultIntervalMs)) },
  );
  if (!done)
    return {
      objects,
      error: `${expr ? "waitFor.expr did not hold" : "not everything was ready"} within ${timeoutMs} ms: ${said(objects)}`,
    };
  const bad = expr ? [] : objects.filter((object) => judged(object).health.health === "unhealthy");
  return bad.length > 0 ? { objects, error: said(bad) } : { objects };
}

/** Groups of Kubernetes itself: what of them has no status will never have one, a ConfigMap for example. */
const ownGroups = /^(v1|(rbac\.authorization|networking|policy|storage|scheduling)\.k8s\.io\/.+)$/;

const isSettled = (object: KubernetesObject): boolean =>
  judged(object).health.ready ||
  (object.status === undefined && ownGroups.test(object.apiVersion ?? ""));

/** How they are, for a sentence. */
const said = (objects: readonly KubernetesObject[]): string =>
  objects
    .map((object) => {
      const { health, status, message } = judged(object).health;
      return `${object.kind} ${nameOf(object)} is ${[status || health, message.slice(0, 300)].filter(Boolean).join(": ")}`;
    })
    .join("; ");
