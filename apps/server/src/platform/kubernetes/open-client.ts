import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { AskOptions } from "./ask-cluster.ts";
import { type Cluster, ClusterUnusable } from "./cluster.ts";
import { readKubeconfig, readNamed } from "./kubeconfig.ts";
import { createKubernetesClient, type KubernetesClient } from "./kubernetes-client.ts";

const isPath = (text: string) => /^(~?\/|\.{1,2}\/)\S*$/.test(text.trim());

/**
 * The cluster that a document names with a kubeconfig (its text, or the path of one on this machine), or the server's
 * own. @throws ClusterUnusable
 */
export async function findCluster(
  kubeconfig: string | undefined,
  { connector, context }: Pick<AskOptions, "connector"> & { context?: string | undefined },
): Promise<Cluster> {
  if (kubeconfig !== undefined && kubeconfig.trim() !== "") {
    if (!isPath(kubeconfig)) return readKubeconfig([kubeconfig], { isOwn: false, context });
    const path = kubeconfig.trim().replace(/^~(?=\/)/, homedir());
    const text = await readNamed(join(path), "kubeconfig");
    return readKubeconfig([text], { directory: dirname(path), isOwn: false, context });
  }
  if (context)
    throw new ClusterUnusable(`the context "${context}" is one of a kubeconfig; say which`);
  const own = await connector.findCluster();
  if (own) return own;
  throw new ClusterUnusable(
    "this server has no Kubernetes cluster: say which with a kubeconfig, or give the server one with KUBECONFIG",
  );
}

/** What must not show of the way to a cluster. */
export const clusterSecrets = ({ auth, tls }: Cluster): string[] => [
  ...(auth?.kind === "bearer" ? [auth.token] : []),
  ...(auth?.kind === "basic" ? [auth.password] : []),
  ...(tls.key ? [tls.key] : []),
];

/** @throws ClusterUnusable */
export async function openClient(
  kubeconfig: string | undefined,
  ask: AskOptions,
): Promise<KubernetesClient> {
  return createKubernetesClient(await findCluster(kubeconfig, ask), ask);
}
