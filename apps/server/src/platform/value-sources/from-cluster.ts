import { coreKinds } from "../kubernetes/kinds.ts";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.ts";
import { isMissing } from "../kubernetes/kubernetes-error.ts";
import type { KubernetesObject } from "../kubernetes/list-objects.ts";
import { helmValue, releaseValues } from "./helm-values.ts";
import type { ValueReference } from "./value-reference.ts";

/** How long a token of a service account is good for: longer than it is kept here. */
const tokenSeconds = 3600;

/** A value that Kubernetes keeps; undefined when it keeps none of this name. */
export async function readFromCluster(
  reference: ValueReference,
  namespace: string,
  client: KubernetesClient,
): Promise<string | undefined> {
  try {
    switch (reference.kind) {
      case "secret": {
        const secret = await client.get(coreKinds.secret, { namespace, name: reference.name });
        return decoded(textAt(secret, "data", reference.key));
      }
      case "configmap": {
        const map = await client.get(coreKinds.configMap, { namespace, name: reference.name });
        return (
          textAt(map, "data", reference.key) ?? decoded(textAt(map, "binaryData", reference.key))
        );
      }
      case "serviceaccount":
        return await client.token({ namespace, name: reference.name, seconds: tokenSeconds });
      case "helm":
        return await fromRelease(reference, namespace, client);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function fromRelease(
  { name, key }: { name: string; key: string },
  namespace: string,
  client: KubernetesClient,
): Promise<string | undefined> {
  const { objects } = await client.list(coreKinds.secret, {
    namespace,
    labelSelector: `owner=helm,status=deployed,name=${name}`,
    most: 100,
  });
  const revision = ({ metadata }: KubernetesObject) => Number(metadata.labels?.version ?? 0);
  const latest = objects.toSorted((one, other) => revision(other) - revision(one))[0];
  const data = latest && textAt(latest, "data", "release");
  if (data === undefined) return undefined;
  const values = await releaseValues(data).catch(() => {
    throw new Error("Helm's record of the release cannot be read");
  });
  return helmValue(values, key);
}

function textAt(object: KubernetesObject, part: string, key: string): string | undefined {
  const values = object[part];
  if (typeof values !== "object" || values === null || !Object.hasOwn(values, key))
    return undefined;
  const value: unknown = (values as Record<string, unknown>)[key];
  return typeof value === "string" ? value : undefined;
}

const decoded = (text: string | undefined) =>
  text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
