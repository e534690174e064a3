import type { Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { isMissing } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** The document is wrong, or what it wants is in the way. */
export class BadResource extends Error {}

/** A manifest, and where its object is. */
export interface Placed {
  kind: Kind;
  object: KubernetesObject;
  place: { namespace?: string; name: string };
}

type Written = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Some write a manifest under `Object`. */
const manifestOf = (written: Written): Written =>
  isMap(written.Object) ? written.Object : written;

/** Finds how the cluster serves each of them. @throws BadResource */
export async function placeAll(
  written: readonly Written[],
  { client, namespace }: { client: KubernetesClient; namespace: string },
): Promise<Placed[]> {
  const kinds = new Map<string, Promise<Kind>>();
  const placed: Placed[] = [];
  for (const one of written) {
    const { apiVersion, kind, metadata, ...rest } = manifestOf(one);
    const name = isMap(metadata) ? metadata.name : undefined;
    if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string")
      throw new BadResource("an object needs apiVersion, kind and metadata.name");
    const key = `${apiVersion} ${kind}`;
    const found = kinds.get(key) ?? client.findKind({ apiVersion, kind });
    kinds.set(key, found);
    const served = await found;
    const own = (metadata as { namespace?: unknown }).namespace;
    const within = served.isNamespaced
      ? typeof own === "string" && own !== ""
        ? own
        : namespace
      : undefined;
    placed.push({
      kind: served,
      object: {
        ...rest,
        apiVersion,
        kind,
        metadata: {
          ...(metadata as object),
          name,
          ...(within !== undefined && { namespace: within }),
        },
      },
      place: { name, ...(within !== undefined && { namespace: within }) },
    });
  }
  return placed;
}

/** The object as it is now; undefined when it is not there. */
export async function isThere(
  client: KubernetesClient,
  { kind, place }: Placed,
): Promise<KubernetesObject | undefined> {
  try {
    return await client.get(kind, place);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
