import {
  clusterKinds,
  everything,
  kubeconfigOf,
  type KubernetesOptions,
  type KubernetesServer,
  startKubernetes,
  type StoredObject,
} from "@mainstay/testkit/servers/index.ts";

/** For tests: a cluster in which a shop runs, as its controllers would have made it. */

export const shopToken = "sesame-token-of-the-shop";

export interface ShopCluster {
  server: KubernetesServer;
  kubeconfig: { value: string };
  /** By `Kind/name`. */
  objects: Map<string, StoredObject>;
  update(name: string, change: (object: StoredObject) => void): void;
  remove(name: string): void;
  add(manifest: object): StoredObject;
}

const created = "2026-06-01T08:00:00Z";

const owner = ({ kind, metadata }: StoredObject) => ({
  apiVersion: "v1",
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});

export async function startShop(options: Partial<KubernetesOptions> = {}): Promise<ShopCluster> {
  const server = await startKubernetes({
    kinds: clusterKinds,
    accounts: { [shopToken]: { user: "scraper", rules: [everything] } },
    ...options,
  });
  const objects = new Map<string, StoredObject>();
  const add = (manifest: object) => {
    const made = server.add(manifest);
    objects.set(`${made.kind}/${made.metadata.name}`, made);
    return made;
  };
  const make = (
    apiVersion: string,
    kind: string,
    name: string,
    { metadata = {}, ...more }: { metadata?: object; [key: string]: unknown } = {},
  ) =>
    add({
      apiVersion,
      kind,
      metadata: { name, namespace: "shop", creationTimestamp: created, ...metadata },
      ...more,
    });
  const shared = (apiVersion: string, kind: string, name: string, more: object = {}) =>
    make(apiVersion, kind, name, {
      ...more,
      metadata: { namespace: undefined, ...(more as { metadata?: object }).metadata },
    });

  shared("v1", "Namespace", "shop", { status: { phase: "Active" } });
  shared("v1", "Namespace", "kube-system", { status: { phase: "Active" } });
  shared("v1", "Node", "n1", {
    metadata: { labels: { "topology.kubernetes.io/zone": "a" } },
    spec: { providerID: "aws:///eu-central-1a/i-01" },
    status: {
      conditions: [
        { type: "Ready", status: "True", lastHeartbeatTime: "2026-06-15T11:59:00Z" },
        { type: "DiskPressure", status: "False", lastHeartbeatTime: "2026-06-15T11:59:00Z" },
      ],
      images: [{ names: ["shop:1"] }],
      allocatable: { cpu: "4", memory: "16Gi", pods: "110" },
      nodeInfo: { kubeletVersion: "v1.31.4", osImage: "Debian 12" },
    },
  });
  make("v1", "ServiceAccount", "web");
  make("v1", "ConfigMap", "web-config", { data: { key: "value" } });
  make("v1", "Secret", "web-secret", {
    metadata: {
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"aHVudGVyMg=="}}',
      },
    },
    data: { password: "aHVudGVyMg==" },
  });
  shared("v1", "PersistentVolume", "pv-1", { spec: { capacity: { storage: "5Gi" } } });
  make("v1", "PersistentVolumeClaim", "web-data", {
    spec: { volumeName: "pv-1", storageClassName: "fast" },
    status: { phase: "Bound", capacity: { storage: "5Gi" } },
  });
  make("v1", "Service", "web", {
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      selector: { app: "web" },
      ports: [{ port: 80 }],
    },
  });
  const podSpec = {
    nodeName: "n1",
    serviceAccountName: "web",
    volumes: [
      { name: "config", configMap: { name: "web-config" } },
      { name: "data", persistentVolumeClaim: { claimName: "web-data" } },
    ],
    containers: [
      {
        name: "app",
        image: "shop:1",
        envFrom: [{ secretRef: { name: "web-secret" } }],
      },
    ],
  };
  const deployment = make("apps/v1", "Deployment", "web", {
    metadata: {
      generation: 1,
      labels: {
        "kustomize.toolkit.fluxcd.io/name": "apps",
        "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
      },
      annotations: { "argocd.argoproj.io/tracking-id": "shop-app:apps/Deployment:shop/web" },
    },
    spec: { replicas: 1, template: { spec: podSpec } },
    status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1, observedGeneration: 1 },
  });
  const replicaSet = make("apps/v1", "ReplicaSet", "web-7f9c", {
    metadata: { ownerReferences: [owner(deployment)] },
    spec: { replicas: 1 },
    status: { replicas: 1, readyReplicas: 1 },
  });
  make("v1", "Pod", "web-7f9c-x1", {
    metadata: {
      labels: { app: "web", "pod-template-hash": "7f9c" },
      annotations: { "config-db.flanksource.com/tags": "team=buyers,tier:1" },
      ownerReferences: [owner(replicaSet)],
    },
    spec: podSpec,
    status: {
      phase: "Running",
      podIP: "10.1.0.7",
      startTime: created,
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [{ name: "app", ready: true, restartCount: 0 }],
    },
  });
  make("v1", "Pod", "web-7f9c-gone", {
    metadata: { labels: { app: "web" } },
    status: {
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory.",
      startTime: "2026-06-14T08:00:00Z",
      conditions: [
        { type: "DisruptionTarget", status: "True", lastTransitionTime: "2026-06-14T09:00:00Z" },
      ],
    },
  });
  make("networking.k8s.io/v1", "Ingress", "web", {
    spec: {
      tls: [{ hosts: ["shop.example.org"], secretName: "web-tls" }],
      rules: [
        {
          host: "shop.example.org",
          http: { paths: [{ backend: { service: { name: "web", port: { number: 80 } } } }] },
        },
      ],
    },
    status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
  });
  make("autoscaling/v2", "HorizontalPodAutoscaler", "web", {
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" } },
    status: {
      currentMetrics: [{ type: "Resource" }],
      conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale" }],
    },
  });
  make("batch/v1", "CronJob", "backup", {
    spec: { schedule: "0 3 * * *" },
    status: {
      lastScheduleTime: "2026-06-15T03:00:00Z",
      lastSuccessfulTime: "2026-06-15T03:01:00Z",
    },
  });
  make("coordination.k8s.io/v1", "Lease", "leader", {
    spec: { holderIdentity: "a", renewTime: "2026-06-15T11:59:59Z" },
  });
  make("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "apps", {
    metadata: { namespace: "flux-system" },
    spec: { sourceRef: { kind: "GitRepository", name: "apps" } },
    status: { conditions: [{ type: "Ready", status: "True", reason: "ReconciliationSucceeded" }] },
  });
  make("argoproj.io/v1alpha1", "Application", "shop-app", {
    metadata: { namespace: "argocd" },
    status: { health: { status: "Degraded" }, reconciledAt: "2026-06-15T11:59:00Z" },
  });
  make("cert-manager.io/v1", "Certificate", "web-tls", {
    spec: { secretName: "web-tls", issuerRef: { name: "letsencrypt", kind: "ClusterIssuer" } },
    status: {
      conditions: [
        { type: "Ready", status: "False", reason: "DoesNotExist", message: "no secret" },
      ],
    },
  });
  make("example.org/v1beta1", "Widget", "wheel", {
    status: { conditions: [{ type: "Ready", status: "True", reason: "Turning" }] },
  });
  shared("database.example.crossplane.io/v1", "Database", "orders", {
    status: {
      conditions: [
        { type: "Synced", status: "True" },
        { type: "Ready", status: "True" },
      ],
    },
  });
  return {
    server,
    kubeconfig: { value: kubeconfigOf(server, { token: shopToken }) },
    objects,
    add,
    update(name, change) {
      server.store.update(objects.get(name)!, change);
    },
    remove(name) {
      const { kind, metadata } = objects.get(name)!;
      server.store.remove(server.kindOf(kind), metadata.namespace, metadata.name);
      objects.delete(name);
    },
  };
}

/** An event of the cluster about one of its objects. */
export const eventOf = (
  about: StoredObject,
  reason: string,
  more: object = {},
): Record<string, unknown> => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: {
    name: `${about.metadata.name}.${reason.toLowerCase()}`,
    namespace: about.metadata.namespace ?? "default",
  },
  involvedObject: {
    apiVersion: about.apiVersion,
    kind: about.kind,
    namespace: about.metadata.namespace,
    name: about.metadata.name,
    uid: about.kind === "Node" ? about.metadata.name : about.metadata.uid,
  },
  reason,
  message: `${reason} of ${about.metadata.name}`,
  type: "Normal",
  count: 1,
  firstTimestamp: "2026-06-15T11:00:00Z",
  lastTimestamp: "2026-06-15T11:30:00Z",
  source: { component: "kubelet", host: "n1" },
  ...more,
});
