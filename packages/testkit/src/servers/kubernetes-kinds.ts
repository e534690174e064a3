/** The kinds that the stand-in of a Kubernetes API server serves, and how it says so. */

export interface ServedKind {
  group: string;
  version: string;
  kind: string;
  plural: string;
  isNamespaced: boolean;
  shortNames?: readonly string[];
  /** All of the usual ones when absent. */
  verbs?: readonly string[];
  /** Fields that a field selector may name, beside the name and the namespace. */
  fields?: readonly string[];
}

const kind = (
  apiVersion: string,
  name: string,
  plural: string,
  more: Partial<ServedKind> = {},
): ServedKind => {
  const [first = "", second] = apiVersion.split("/");
  return {
    group: second === undefined ? "" : first,
    version: second ?? first,
    kind: name,
    plural,
    isNamespaced: true,
    ...more,
  };
};

export const standardKinds: readonly ServedKind[] = [
  kind("v1", "Namespace", "namespaces", {
    isNamespaced: false,
    shortNames: ["ns"],
    fields: ["status.phase"],
  }),
  kind("v1", "Node", "nodes", {
    isNamespaced: false,
    shortNames: ["no"],
    fields: ["spec.unschedulable"],
  }),
  kind("v1", "Pod", "pods", {
    shortNames: ["po"],
    fields: ["status.phase", "spec.nodeName", "spec.restartPolicy", "status.podIP"],
  }),
  kind("v1", "Secret", "secrets", { fields: ["type"] }),
  kind("v1", "ConfigMap", "configmaps", { shortNames: ["cm"] }),
  kind("v1", "Service", "services", { shortNames: ["svc"], fields: ["spec.type"] }),
  kind("v1", "ServiceAccount", "serviceaccounts", { shortNames: ["sa"] }),
  kind("apps/v1", "Deployment", "deployments", { shortNames: ["deploy"] }),
  kind("batch/v1", "Job", "jobs"),
  kind("networking.k8s.io/v1", "Ingress", "ingresses", { shortNames: ["ing"] }),
  kind("example.org/v1beta1", "Ingress", "ingresses"),
  kind("example.org/v1beta1", "Widget", "widgets", { shortNames: ["wi"] }),
];

/** What clusters have besides, with kinds that products have added to them. */
export const clusterKinds: readonly ServedKind[] = [
  ...standardKinds,
  kind("v1", "Event", "events", { shortNames: ["ev"], fields: ["involvedObject.name", "reason"] }),
  kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", { shortNames: ["pvc"] }),
  kind("v1", "PersistentVolume", "persistentvolumes", { isNamespaced: false }),
  kind("v1", "Endpoints", "endpoints"),
  kind("v1", "ComponentStatus", "componentstatuses", { isNamespaced: false }),
  kind("apps/v1", "ReplicaSet", "replicasets", { shortNames: ["rs"] }),
  kind("apps/v1", "StatefulSet", "statefulsets", { shortNames: ["sts"] }),
  kind("apps/v1", "DaemonSet", "daemonsets", { shortNames: ["ds"] }),
  kind("batch/v1", "CronJob", "cronjobs", { shortNames: ["cj"] }),
  kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
  kind("coordination.k8s.io/v1", "Lease", "leases"),
  kind("events.k8s.io/v1", "Event", "events"),
  kind("extensions/v1beta1", "Ingress", "ingresses"),
  kind("metrics.k8s.io/v1beta1", "PodMetrics", "pods"),
  kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  kind("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", { isNamespaced: false }),
  kind("authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", {
    isNamespaced: false,
    verbs: ["create"],
  }),
  kind("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "kustomizations"),
  kind("helm.toolkit.fluxcd.io/v2", "HelmRelease", "helmreleases"),
  kind("source.toolkit.fluxcd.io/v1", "GitRepository", "gitrepositories"),
  kind("argoproj.io/v1alpha1", "Application", "applications"),
  kind("cert-manager.io/v1", "Certificate", "certificates"),
  kind("database.example.crossplane.io/v1", "Database", "databases", { isNamespaced: false }),
];

export const apiVersionOf = ({ group, version }: Pick<ServedKind, "group" | "version">): string =>
  group ? `${group}/${version}` : version;

const usualVerbs = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** One `APIGroupDiscoveryList`, as servers since 1.26 answer who asks for it. */
export function aggregatedDiscovery(kinds: readonly ServedKind[], isCore: boolean): object {
  const groups = new Map<string, ServedKind[]>();
  for (const one of kinds.filter(({ group }) => (group === "") === isCore))
    groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [...groups].map(([group, served]) => ({
      metadata: { ...(group && { name: group }), creationTimestamp: null },
      versions: [
        {
          version: served[0]?.version,
          resources: served.map((one) => ({
            resource: one.plural,
            responseKind: { group: "", version: "", kind: one.kind },
            scope: one.isNamespaced ? "Namespaced" : "Cluster",
            singularResource: one.kind.toLowerCase(),
            verbs: one.verbs ?? usualVerbs,
            ...(one.shortNames && { shortNames: one.shortNames }),
          })),
          freshness: "Current",
        },
      ],
    })),
  };
}

/** The versions of the core, as `/api` lists them without aggregation. */
export const coreVersions = {
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [],
};

export function groupList(kinds: readonly ServedKind[]): object {
  const groups = new Map(kinds.filter(({ group }) => group).map((one) => [one.group, one]));
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [...groups].map(([name, { version }]) => {
      const only = { groupVersion: `${name}/${version}`, version };
      return { name, versions: [only], preferredVersion: only };
    }),
  };
}

export function resourceList(kinds: readonly ServedKind[], apiVersion: string): object | undefined {
  const served = kinds.filter((one) => apiVersionOf(one) === apiVersion);
  if (served.length === 0) return undefined;
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: apiVersion,
    resources: served.flatMap((one) => [
      {
        name: one.plural,
        singularName: one.kind.toLowerCase(),
        namespaced: one.isNamespaced,
        kind: one.kind,
        verbs: one.verbs ?? usualVerbs,
        ...(one.shortNames && { shortNames: one.shortNames }),
      },
      ...(one.kind === "Pod"
        ? [{ name: "pods/log", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] }]
        : []),
    ]),
  };
}
