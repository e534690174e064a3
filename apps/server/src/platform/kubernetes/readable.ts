import type { KubernetesObject } from "./list-objects.ts";

/** In the place of what a Secret holds. */
const hidden = "********";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

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
