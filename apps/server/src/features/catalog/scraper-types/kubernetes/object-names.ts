import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** How the objects of a cluster are called in the catalog. Source: spec formats, section 7.6. */

export interface ObjectName {
  kind: string;
  namespace?: string | undefined;
  name: string;
}

/** What an object is known by to whoever does not know its uid. */
export const aliasOf = (cluster: string, { kind, namespace = "", name }: ObjectName): string =>
  `Kubernetes/${cluster}/${kind}/${namespace}/${name}`;

export const clusterId = (cluster: string): string => `Kubernetes/Cluster/${cluster}`;

/** Applications of Argo CD are named without the namespace that they stand in. */
export const applicationAlias = (cluster: string, name: string): string =>
  `Kubernetes/${cluster}/ArgoApplication/${name}`;

/** Kinds of products that have a prefix of their own. */
const prefixes: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)(?:crossplane|upbound)\.io$/, "Crossplane"],
  [/(?:^|\.)flanksource\.com$/, "MissionControl"],
];

export const typeOf = (group: string, kind: string): string =>
  `${prefixes.find(([pattern]) => pattern.test(group))?.[1] ?? "Kubernetes"}::${kind}`;

export const nameOf = ({ kind = "", metadata }: KubernetesObject): ObjectName => ({
  kind,
  namespace: metadata.namespace,
  name: metadata.name ?? "",
});
