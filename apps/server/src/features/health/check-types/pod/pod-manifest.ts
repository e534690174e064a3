import { parseDocument } from "yaml";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** The document is wrong, not the cluster. */
export class BadManifest extends Error {}

export interface PodManifest extends KubernetesObject {
  spec: Record<string, unknown>;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A pod as it is written, without a namespace: that is the check's to say. @throws BadManifest */
export function readPodManifest(text: string): PodManifest {
  const document = parseDocument(text, { logLevel: "silent" });
  const [error] = document.errors;
  if (error)
    throw new BadManifest(`the manifest of the pod is no YAML: ${error.message.split("\n")[0]}`);
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new BadManifest("the manifest of the pod has more aliases than can be read");
  }
  if (!isMap(content) || content.kind !== "Pod" || !isMap(content.spec))
    throw new BadManifest("the manifest is none of a pod: it needs kind: Pod and a spec");
  const { namespace: _, ...metadata } = isMap(content.metadata) ? content.metadata : {};
  return { ...content, apiVersion: "v1", kind: "Pod", metadata, spec: content.spec };
}
