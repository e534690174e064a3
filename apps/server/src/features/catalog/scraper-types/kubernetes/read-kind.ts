import type { Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { KubernetesError } from "#platform/kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { fieldSelector } from "./field-selector.ts";

export interface ReadOptions {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Told when the list was, as the cluster counts: what happens after it is in it or comes later. */
  onVersion?: (resourceVersion: string) => void;
  /** An object may be told twice: there may be so many that their ids are too many to be remembered. */
  mayRepeat?: boolean;
}

/** A list that the cluster forgets while it is read is read from the beginning so often. */
const mostBeginnings = 5;

const isCode = (error: unknown, code: number): boolean =>
  error instanceof KubernetesError && error.code === code;

/** The objects of a kind, however many, a page at a time; each once, unless it does not matter. */
export async function* readKind(
  client: Pick<KubernetesClient, "pages">,
  kind: Kind,
  { onVersion, mayRepeat = false, ...options }: ReadOptions,
): AsyncGenerator<KubernetesObject[]> {
  const seen = new Set<string>();
  let isSelectedHere = false;
  let first: string | undefined;
  const passes = fieldSelector(options.fieldSelector ?? "");
  for (let begun = 1; ;) {
    const asked = { ...options, ...(isSelectedHere && { fieldSelector: undefined }) };
    try {
      for await (const { objects, resourceVersion } of client.pages(kind, asked)) {
        first ??= resourceVersion;
        const fresh = objects.filter(
          ({ metadata: { uid } }) => uid === undefined || !seen.has(uid),
        );
        if (!mayRepeat) for (const { metadata } of fresh) if (metadata.uid) seen.add(metadata.uid);
        yield isSelectedHere ? fresh.filter(passes) : fresh;
      }
      onVersion?.(first ?? "");
      return;
    } catch (error) {
      // Kinds whose objects have no such field: the server refuses to look.
      if (isCode(error, 400) && options.fieldSelector && !isSelectedHere) isSelectedHere = true;
      else if (isCode(error, 410) && begun < mostBeginnings) begun += 1;
      else throw error;
    }
  }
}
