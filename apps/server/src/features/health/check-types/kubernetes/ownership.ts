import { createHash, randomBytes } from "node:crypto";
import type { Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject, ObjectMetadata } from "#platform/kubernetes/list-objects.ts";

/** How objects that a check has made are known again. */
const managedBy = "app.kubernetes.io/managed-by";
const ofCheck = "mainstay-check";

/** What a run that was cut short left behind is old by then: no run takes so long. */
const leftBehindAfterMs = 3_600_000;

/** Of a check, wherever it runs. */
export const markOf = (...names: readonly string[]): string =>
  createHash("sha256").update(names.join("\0")).digest("hex").slice(0, 32);

export const ownLabels = (mark: string): Record<string, string> => ({
  [managedBy]: "mainstay",
  [ofCheck]: mark,
});

export const isOwn = ({ metadata }: KubernetesObject, mark: string): boolean =>
  metadata.labels?.[ofCheck] === mark;

/** A name that nothing else has: what it begins with, cut, and some letters. */
export const freshName = (start: string): string =>
  `${start.slice(0, 50).replace(/[-.]+$/, "") || "mainstay"}-${randomBytes(4).toString("hex")}`;

export const withLabels = <Of extends { metadata: ObjectMetadata }>(
  object: Of,
  labels: Readonly<Record<string, string>>,
): Of => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } },
});

/** Deletes what runs of this check before left behind, as far as the account may. */
export async function sweep(
  client: KubernetesClient,
  kind: Kind,
  { namespace, mark }: { namespace?: string; mark: string },
): Promise<void> {
  const list = await client
    .list(kind, { namespace, labelSelector: `${ofCheck}=${mark}` })
    .catch(() => undefined);
  for (const { metadata } of list?.objects ?? []) {
    const age = Date.now() - Date.parse(metadata.creationTimestamp as string);
    if (age > leftBehindAfterMs && metadata.name && !metadata.deletionTimestamp)
      await client.delete(kind, { namespace, name: metadata.name }).catch(() => undefined);
  }
}
