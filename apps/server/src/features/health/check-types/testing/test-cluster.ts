import {
  everything,
  kubeconfigOf,
  type KubernetesOptions,
  type KubernetesServer,
  startKubernetes,
  type StoredObject,
} from "@mainstay/testkit/servers/index.ts";

/** For tests: the stand-in of an API server, with nodes that run pods as a test says. */
export interface TestCluster {
  server: KubernetesServer;
  kubeconfig: { value: string };
  /** What becomes of a pod when it is made; ready at once when absent. */
  onPod?: ((pod: StoredObject) => void) | undefined;
  /** Whether what is deleted goes at once. */
  isSlow: boolean;
  /** Names of objects of a kind that are there, or were there and are not deleted. */
  names(kind: string): string[];
  /** `POST /api/v1/namespaces/web/pods`, as they came. */
  log(): string[];
}

export const clusterToken = "sesame-token-of-the-cluster";

/** Given to a node, running, ready. */
export function makeReady(pod: StoredObject): void {
  pod.spec.nodeName = "n1";
  pod.status = {
    phase: "Running",
    podIP: "127.0.0.1",
    conditions: [
      { type: "PodScheduled", status: "True" },
      { type: "Ready", status: "True" },
    ],
    containerStatuses: (pod.spec.containers as { name: string }[]).map(({ name }) => ({
      name,
      ready: true,
      restartCount: 0,
    })),
  };
}

/** Nobody takes it. */
export function leaveWaiting(pod: StoredObject): void {
  pod.status = {
    phase: "Pending",
    conditions: [
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: "0/3 nodes are available: 3 Insufficient cpu.",
      },
    ],
  };
}

/** Its image cannot be had. */
export function lackImage(pod: StoredObject): void {
  pod.spec.nodeName = "n1";
  pod.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  pod.status = {
    phase: "Pending",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [
      { type: "PodScheduled", status: "True" },
      { type: "Ready", status: "False" },
    ],
    containerStatuses: [
      {
        name: "app",
        ready: false,
        restartCount: 0,
        state: { waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image" } },
      },
    ],
  };
}

export async function startTestCluster(
  options: Partial<KubernetesOptions> = {},
): Promise<TestCluster> {
  const cluster: TestCluster = {
    // Set below.
    server: undefined as unknown as KubernetesServer,
    kubeconfig: { value: "" },
    isSlow: false,
    names: (kind) =>
      cluster.server.store.all(cluster.server.kindOf(kind)).map(({ metadata }) => metadata.name),
    log: () => cluster.server.asked.map(({ method, path }) => `${method} ${path}`),
  };
  cluster.server = await startKubernetes({
    accounts: {
      [clusterToken]: { user: "admin", rules: [everything] },
      "token of a reader": {
        user: "reader",
        rules: [{ verbs: ["get", "list"], resources: ["*"] }],
      },
    },
    onCreate(object, server) {
      if (object.kind === "Pod") (cluster.onPod ?? makeReady)(object);
      if (object.kind === "Namespace")
        server.add({
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "default", namespace: object.metadata.name },
        });
    },
    onDelete: () => !cluster.isSlow,
    ...options,
  });
  cluster.kubeconfig.value = kubeconfigOf(cluster.server, { token: clusterToken });
  for (const [name, unschedulable] of [
    ["n1", false],
    ["n2", false],
    ["n3", true],
  ] as const)
    cluster.server.add({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/hostname": `host-${name}` } },
      spec: { unschedulable },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
  return cluster;
}
