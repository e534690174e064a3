import type { PodSpec } from "@mainstay/contract";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { freshName, ownLabels, withLabels } from "../kubernetes/ownership.ts";
import { askPod, type Expectations } from "./ask-pod.ts";
import type { PodManifest } from "./pod-manifest.ts";
import {
  isGone,
  isReadyPod,
  isScheduled,
  nodeOf,
  PodTrouble,
  statusOf,
  waitForPod,
} from "./pod-steps.ts";

export type Life = Expectations &
  Pick<
    PodSpec,
    | "scheduleTimeout"
    | "readyTimeout"
    | "deleteTimeout"
    | "port"
    | "path"
    | "ingressName"
    | "ingressHost"
    | "ingressClass"
    | "priorityClass"
  > & {
    /** The node that the pod must run on. */
    node?: string | undefined;
  };

interface Surroundings {
  client: KubernetesClient;
  connector: Connector;
  signal: AbortSignal;
  namespace: string;
  mark: string;
  /** Told of everything that is made, before it is. */
  onMake(kind: Kind, name: string): void;
}

/** What became of the pod, and when, in milliseconds. */
export interface PodRun {
  pod: string;
  namespace: string;
  node?: string;
  scheduled?: number;
  ready?: number;
  answered?: number;
  deleted?: number;
}

const podLabel = "mainstay-pod";

/** A pod from its making until it is gone: given a node, ready, asked, deleted. @throws PodTrouble */
export async function livePod(
  manifest: PodManifest,
  life: Life,
  around: Surroundings,
  run: PodRun,
): Promise<void> {
  const { client, signal, namespace, mark, onMake } = around;
  const name = run.pod;
  const place = { namespace, name };
  const labels = { ...ownLabels(mark), [podLabel]: name };
  const { priorityClass, node } = life;
  const pod: KubernetesObject = withLabels(
    {
      ...manifest,
      metadata: { ...manifest.metadata, name, namespace },
      spec: {
        ...manifest.spec,
        ...(priorityClass && { priorityClassName: priorityClass }),
        ...(node && {
          nodeSelector: {
            ...(manifest.spec.nodeSelector as object | undefined),
            "kubernetes.io/hostname": node,
          },
        }),
      },
    },
    labels,
  );
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  onMake(coreKinds.pod, name);
  await client.create(coreKinds.pod, pod, namespace);
  const scheduled = await waitForPod(client, place, {
    what: "given a node",
    isThere: isScheduled,
    timeoutMs: life.scheduleTimeout || undefined,
    signal,
  });
  const onNode = nodeOf(scheduled);
  if (onNode !== undefined) run.node = onNode;
  run.scheduled = elapsed();
  const ready = await waitForPod(client, place, {
    what: "ready",
    isThere: isReadyPod,
    timeoutMs: life.readyTimeout || undefined,
    signal,
  });
  run.ready = elapsed();
  const url = await addressOf(ready, life, around, { name, labels });
  if (url) {
    const complaint = await askPod(url, life, around);
    if (complaint !== undefined)
      throw new PodTrouble(`${url.href} is not as expected: ${complaint}`);
    run.answered = elapsed();
  }
  await client.delete(coreKinds.pod, place);
  const timeoutMs = life.deleteTimeout || undefined;
  if (!(await isGone(() => client.get(coreKinds.pod, place), { signal, timeoutMs })))
    throw new PodTrouble(`the pod ${name} was not gone ${timeoutMs} ms after it was deleted`);
  run.deleted = elapsed();
}

/** Where the pod is asked: through an ingress that is made for it, or itself; undefined when nothing is to be asked. */
async function addressOf(
  pod: KubernetesObject,
  { port, path, ingressHost, ingressName, ingressClass }: Life,
  { client, namespace, onMake }: Surroundings,
  { name, labels }: { name: string; labels: Record<string, string> },
): Promise<URL | undefined> {
  const asked = `/${(path ?? "").replace(/^\//, "")}`;
  if (!ingressHost) {
    const { podIP } = statusOf(pod);
    if (port === undefined) return undefined;
    if (!podIP) throw new PodTrouble(`the pod ${name} has no address`);
    return new URL(`http://${placeName(podIP, port)}${asked}`);
  }
  if (port === undefined) throw new PodTrouble("an ingress needs the port of the pod");
  // What belongs to a pod goes with it, whatever becomes of this run.
  const metadata = {
    namespace,
    labels,
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid: pod.metadata.uid }],
  };
  onMake(coreKinds.service, name);
  await client.create(
    coreKinds.service,
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { ...metadata, name },
      spec: { selector: { [podLabel]: name }, ports: [{ port, targetPort: port }] },
    },
    namespace,
  );
  const ingress = ingressName || name;
  // Made only where there is none: one of this name that serves something else stays as it is.
  await client.create(
    coreKinds.ingress,
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { ...metadata, name: ingress },
      spec: {
        ...(ingressClass && { ingressClassName: ingressClass }),
        rules: [
          {
            host: ingressHost.replace(/:\d+$/, ""),
            http: {
              paths: [
                {
                  path: "/",
                  pathType: "Prefix",
                  backend: { service: { name, port: { number: port } } },
                },
              ],
            },
          },
        ],
      },
    },
    namespace,
  );
  onMake(coreKinds.ingress, ingress);
  return new URL(`http://${ingressHost}${asked}`);
}

/** A pod of this manifest that nothing else is called like. */
export const podName = ({ metadata }: PodManifest): string =>
  freshName(metadata.name ?? "mainstay");
