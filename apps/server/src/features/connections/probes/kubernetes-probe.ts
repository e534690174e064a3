import { createKubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { readKubeconfig } from "#platform/kubernetes/kubeconfig.ts";
import type { Probe } from "./probe.ts";

/** The cluster lists a pod of the namespace default. */
export const kubernetes: Probe = async ({ connection, connector, signal }) => {
  const { certificate } = connection;
  if (!certificate) throw new Error("The connection has no kubeconfig.");
  const cluster = await readKubeconfig([certificate], { isOwn: false });
  const client = createKubernetesClient(cluster, { connector, signal });
  const pods = await client.findKind({ kind: "Pod", apiVersion: "v1" });
  await client.list(pods, { namespace: "default", most: 1 });
};
