import { checkSpecs, type NamespaceSpec } from "@mainstay/contract";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import { isMissing } from "#platform/kubernetes/kubernetes-error.ts";
import { checkType, failed } from "../check-type.ts";
import { inCluster } from "../kubernetes/in-cluster.ts";
import { freshName, markOf, ownLabels, sweep } from "../kubernetes/ownership.ts";
import { waitUntil } from "../kubernetes/wait-until.ts";
import { livePod, podName, type PodRun } from "../pod/live-pod.ts";
import { BadManifest, type PodManifest, readPodManifest } from "../pod/pod-manifest.ts";
import { isGone, PodTrouble } from "../pod/pod-steps.ts";
import { runLife } from "../pod/run-life.ts";

const accountTimeoutMs = 10_000;

/** A pod needs the account that Kubernetes gives a namespace a moment after it is made. */
async function waitForAccount(
  client: KubernetesClient,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  await waitUntil(
    async () => {
      try {
        await client.get(coreKinds.serviceAccount, { namespace, name: "default" });
        return true;
      } catch (error) {
        signal.throwIfAborted();
        // Whoever may not see it tries without.
        return isMissing(error) ? undefined : true;
      }
    },
    { signal, timeoutMs: accountTimeoutMs },
  );
}

export const namespace = checkType<NamespaceSpec>({
  type: "namespace",
  spec: checkSpecs.namespace,
  network: true,
  endpoint: (spec) => spec.ingressHost ?? "",
  run(input) {
    const { spec, connector } = input;
    return inCluster(input, async (cluster) => {
      const mark = markOf("namespace", input.namespace, spec.name ?? spec.podSpec);
      let manifest: PodManifest;
      try {
        manifest = readPodManifest(spec.podSpec);
      } catch (error) {
        if (error instanceof BadManifest) return failed(error.message, { invalid: true });
        throw error;
      }
      const own = freshName(spec.namespaceNamePrefix ?? "mainstay");
      const run: PodRun = { pod: podName(manifest), namespace: own };
      return runLife(
        cluster,
        { signal: input.signal, deadlineMs: spec.deadline },
        async ({ signal, made }) => {
          const client = cluster.clientFor(signal);
          await sweep(client, coreKinds.namespace, { mark });
          made({ kind: coreKinds.namespace, name: own });
          await client.create(coreKinds.namespace, {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: {
              name: own,
              labels: { ...spec.namespaceLabels, ...ownLabels(mark) },
              ...(spec.namespaceAnnotations && { annotations: spec.namespaceAnnotations }),
            },
          });
          await waitForAccount(client, own, signal);
          const onMake = (kind: Kind, name: string) => made({ kind, name, namespace: own });
          const around = { client, connector, signal, namespace: own, mark, onMake };
          const began = performance.now();
          await livePod(manifest, spec, around, run);
          await client.delete(coreKinds.namespace, { name: own });
          const timeoutMs = spec.deleteTimeout || undefined;
          const look = () => client.get(coreKinds.namespace, { name: own });
          if (!(await isGone(look, { signal, timeoutMs })))
            throw new PodTrouble(
              `the namespace ${own} was not gone ${timeoutMs} ms after it was deleted`,
            );
          run.deleted = Math.round(performance.now() - began);
          return run;
        },
        run,
      );
    });
  },
});
