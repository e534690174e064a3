import { placeOf } from "../outbound/http/address.ts";
import { type AskOptions, askCluster, askForJson, pathOf } from "./ask-cluster.ts";
import type { Cluster } from "./cluster.ts";
import {
  findKind,
  type Kind,
  listKinds,
  pathOfKind,
  type ServedKinds,
  type WantedKind,
} from "./kinds.ts";
import { watchObjects, type WatchOptions } from "./watch-objects.ts";
import { execInPod, type PodCommand } from "./exec-in-pod.ts";
import { isMissing } from "./kubernetes-error.ts";
import {
  inNamespace,
  isObject,
  type KubernetesObject,
  listObjects,
  type ListOptions,
  pagesOf,
} from "./list-objects.ts";

/** By whom fields are set, as `kubectl get -o yaml --show-managed-fields` tells. */
const fieldManager = "mainstay";

export type KubernetesClient = ReturnType<typeof createKubernetesClient>;

/** Asks one cluster, as one account, until the signal says stop. */
export function createKubernetesClient(cluster: Cluster, ask: AskOptions) {
  const path = (kind: Kind, { namespace, name }: { namespace?: string; name: string }) =>
    `${pathOfKind(kind, namespace)}${pathOf(name)}`;

  async function asObject(body: Promise<Record<string, unknown>>): Promise<KubernetesObject> {
    const object = await body;
    if (isObject(object)) return object;
    throw new Error(`${placeOf(cluster.url)} does not answer as a Kubernetes cluster`);
  }

  return {
    cluster,
    /** Of the API server, for messages. */
    place: placeOf(cluster.url),
    findKind: (wanted: WantedKind): Promise<Kind> => findKind(wanted, cluster, ask),
    kinds: (): Promise<ServedKinds> => listKinds(cluster, ask),
    /** What the server says of itself: `gitVersion`, `platform`. */
    version: () => askForJson(cluster, { path: pathOf("version"), task: "read the version" }, ask),
    /** All of them, however many, a page at a time. */
    pages: (kind: Kind, options: Omit<ListOptions, "most"> = {}) =>
      pagesOf(kind, options, cluster, ask),
    /** What happens to them, since and for a while. */
    watch: (kind: Kind, options: WatchOptions) => watchObjects(kind, options, cluster, ask),
    list: (kind: Kind, options: ListOptions = {}) => listObjects(kind, options, cluster, ask),
    /** Rejects with a `KubernetesError` of code 404 when it is not there. */
    get: (kind: Kind, { namespace, name }: { namespace?: string; name: string }) =>
      asObject(
        askForJson(
          cluster,
          {
            path: path(kind, { namespace, name }),
            task: `get ${kind.kind} "${name}"${inNamespace(namespace)}`,
          },
          ask,
        ),
      ),
    create: (kind: Kind, object: KubernetesObject, namespace?: string) =>
      asObject(
        askForJson(
          cluster,
          {
            method: "POST",
            path: pathOfKind(kind, namespace),
            query: { fieldManager },
            body: object,
            task: `create ${kind.kind} "${object.metadata.name ?? ""}"${inNamespace(namespace)}`,
          },
          ask,
        ),
      ),
    /** Makes it as the object says, there or not; fields that somebody else set are taken over. */
    apply: (
      kind: Kind,
      object: KubernetesObject & { metadata: { name: string } },
      namespace?: string,
    ) =>
      asObject(
        askForJson(
          cluster,
          {
            method: "PATCH",
            path: path(kind, { namespace, name: object.metadata.name }),
            query: { fieldManager, force: "true" },
            body: object,
            contentType: "application/apply-patch+yaml",
            task: `apply ${kind.kind} "${object.metadata.name}"${inNamespace(namespace)}`,
          },
          ask,
        ),
      ),
    /** False when there was none. What it owns goes with it. */
    async delete(
      kind: Kind,
      {
        namespace,
        name,
        uid,
        graceSeconds,
      }: { namespace?: string; name: string; uid?: string; graceSeconds?: number },
    ): Promise<boolean> {
      try {
        await askForJson(
          cluster,
          {
            method: "DELETE",
            path: path(kind, { namespace, name }),
            body: {
              kind: "DeleteOptions",
              apiVersion: "v1",
              propagationPolicy: "Background",
              ...(uid && { preconditions: { uid } }),
              ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
            },
            task: `delete ${kind.kind} "${name}"${inNamespace(namespace)}`,
          },
          ask,
        );
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    /** A short-lived token of a service account. */
    async token({
      namespace,
      name,
      seconds,
    }: {
      namespace: string;
      name: string;
      seconds: number;
    }) {
      const answer = await askForJson(
        cluster,
        {
          method: "POST",
          path: pathOf("api", "v1", "namespaces", namespace, "serviceaccounts", name, "token"),
          body: {
            apiVersion: "authentication.k8s.io/v1",
            kind: "TokenRequest",
            spec: { expirationSeconds: seconds },
          },
          task: `get a token of the service account "${name}"${inNamespace(namespace)}`,
        },
        ask,
      );
      const { token } = (answer.status ?? {}) as { token?: unknown };
      if (typeof token !== "string" || token === "")
        throw new Error(`${placeOf(cluster.url)} gave no token of the service account "${name}"`);
      return token;
    },
    /** Runs a program in a container to its end. */
    exec: (command: PodCommand) => execInPod(cluster, command, ask),
    /** What a container printed, up to a bound. */
    async logs({
      namespace,
      name,
      container,
      most,
      since,
      lines,
      hasTimes,
    }: {
      namespace: string;
      name: string;
      container?: string;
      most: number;
      /** Only what was printed from then on. */
      since?: Date;
      /** Only so many of the last lines. */
      lines?: number;
      /** With the moment in front of each line. */
      hasTimes?: boolean;
    }): Promise<string> {
      const body = await askCluster(
        cluster,
        {
          path: pathOf("api", "v1", "namespaces", namespace, "pods", name, "log"),
          query: {
            container,
            limitBytes: most,
            sinceTime: since?.toISOString(),
            tailLines: lines,
            timestamps: hasTimes ? "true" : undefined,
          },
          accept: "*/*",
          task: `read the log of Pod "${name}"${inNamespace(namespace)}`,
          most,
          mayBeCut: true,
        },
        ask,
      );
      return body.toString("utf8");
    },
  };
}
