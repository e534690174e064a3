import { createHider } from "#platform/sealing/hide-secrets.ts";
import { ClusterUnusable } from "#platform/kubernetes/cluster.ts";
import {
  createKubernetesClient,
  type KubernetesClient,
} from "#platform/kubernetes/kubernetes-client.ts";
import { clusterSecrets, findCluster } from "#platform/kubernetes/open-client.ts";
import { attempt, type CheckInput, type CheckOutcome, failedBy } from "../check-type.ts";

interface OfCluster {
  kubeconfig?: { value?: string };
  connection?: unknown;
  eks?: unknown;
  gke?: unknown;
  cnrm?: unknown;
}

export interface ClusterWork {
  client: KubernetesClient;
  /** The same cluster for what must happen although the run is over. */
  clientFor(signal: AbortSignal): KubernetesClient;
}

/** Runs a check in the cluster that its spec names; nothing of how it is reached shows in the outcome. */
export function inCluster<Spec extends OfCluster>(
  input: CheckInput<Spec>,
  work: (cluster: ClusterWork) => Promise<CheckOutcome>,
): Promise<CheckOutcome> {
  const { spec, connector, signal } = input;
  return attempt(input, async () => {
    let hide = (outcome: CheckOutcome) => outcome;
    try {
      const cluster = await findCluster(spec.kubeconfig?.value, { connector });
      const hider = createHider(clusterSecrets(cluster));
      if (hider)
        hide = ({ message, error, details, ...rest }) => ({
          ...rest,
          ...(message !== undefined && { message: hider.message(message) }),
          ...(error !== undefined && { error: hider.message(error) }),
          ...(details !== undefined && { details: hider.value(details) as typeof details }),
        });
      const clientFor = (until: AbortSignal) =>
        createKubernetesClient(cluster, { connector, signal: until });
      return hide(await work({ client: clientFor(signal), clientFor }));
    } catch (error) {
      if (signal.aborted) throw error;
      return hide(failedBy(error, error instanceof ClusterUnusable ? { invalid: true } : {}));
    }
  });
}

/** What stands for the cluster in the endpoint of a check. */
export const clusterName = ({ kubeconfig, connection }: OfCluster): string =>
  typeof connection === "string" ? connection : kubeconfig ? "kubeconfig" : "";
