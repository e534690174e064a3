import { checkSpecs, type PodSpec } from "@mainstay/contract";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import { checkType, failed } from "../check-type.ts";
import { inCluster } from "../kubernetes/in-cluster.ts";
import { markOf, sweep } from "../kubernetes/ownership.ts";
import { livePod, podName, type PodRun } from "./live-pod.ts";
import { BadManifest, type PodManifest, readPodManifest } from "./pod-manifest.ts";
import { namespaceOf, pickNode, runLife } from "./run-life.ts";

export const pod = checkType<PodSpec>({
  type: "pod",
  spec: checkSpecs.pod,
  network: true,
  endpoint: (spec) => spec.ingressHost ?? "",
  run(input) {
    const { spec, connector } = input;
    return inCluster(input, async (cluster) => {
      const namespace = namespaceOf(spec, input);
      const mark = markOf("pod", input.namespace, spec.name ?? spec.spec ?? "");
      let manifest: PodManifest;
      try {
        manifest = readPodManifest(spec.spec ?? "");
      } catch (error) {
        if (error instanceof BadManifest) return failed(error.message, { invalid: true });
        throw error;
      }
      const run: PodRun = { pod: podName(manifest), namespace };
      return runLife(
        cluster,
        { signal: input.signal, deadlineMs: spec.deadline },
        async ({ signal, made }) => {
          const client = cluster.clientFor(signal);
          await sweep(client, coreKinds.pod, { namespace, mark });
          const node = spec.roundRobinNodes ? await pickNode(client, mark) : undefined;
          const around = {
            client,
            connector,
            signal,
            namespace,
            mark,
            onMake: (kind: Kind, name: string) => made({ kind, name, namespace }),
          };
          await livePod(manifest, { ...spec, node }, around, run);
          return run;
        },
        run,
      );
    });
  },
});
