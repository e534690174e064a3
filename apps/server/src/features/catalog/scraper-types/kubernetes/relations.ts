import { at, list, text } from "@mainstay/scripting/functions/kubernetes-fields.ts";
import { isMapping, type Value } from "@mainstay/scripting";
import { groupOf } from "#platform/kubernetes/kinds.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import type { ItemReference, Relation } from "../../scraping/scraped.ts";
import { aliasOf, applicationAlias, clusterId, type ObjectName } from "./object-names.ts";

/** What objects say of one another: who owns them, what they use, what leads to them. */

/** A service with what its pods are told by. */
export interface ServiceSelector {
  namespace: string;
  name: string;
  labels: readonly (readonly [key: string, value: string])[];
}

/** Nothing for a service that selects no pods by itself. */
function selectorOf(service: KubernetesObject): ServiceSelector | undefined {
  const found = at(service as Value, "spec", "selector");
  const labels = Object.entries(isMapping(found) ? found : {}).map(
    ([key, value]) => [key, value as string] as const,
  );
  const { namespace = "", name = "" } = service.metadata;
  return labels.length > 0 ? { namespace, name, labels } : undefined;
}

/** Keeps what a service selects by its namespace. */
export function addService(
  services: Map<string, ServiceSelector[]>,
  service: KubernetesObject,
): void {
  const found = selectorOf(service);
  if (!found) return;
  const known = services.get(found.namespace);
  if (known) known.push(found);
  else services.set(found.namespace, [found]);
}

interface Owner {
  kind: string;
  name: string;
  uid: string;
  isController: boolean;
}

function ownersOf(object: KubernetesObject): Owner[] {
  return list(object as Value, "metadata", "ownerReferences")
    .map((one) => ({
      kind: text(one, "kind"),
      name: text(one, "name"),
      uid: text(one, "uid"),
      isController: at(one, "controller") === true,
    }))
    .filter(({ uid }) => uid !== "")
    .toSorted((one, other) => Number(other.isController) - Number(one.isController));
}

/** The replica set of a deployment is called like it, with the hash of its template. */
export function deploymentOf(pod: KubernetesObject): string | undefined {
  const hash = pod.metadata.labels?.["pod-template-hash"];
  const owner = ownersOf(pod).find(({ kind }) => kind === "ReplicaSet");
  return hash && owner?.name.endsWith(`-${hash}`)
    ? owner.name.slice(0, -hash.length - 1)
    : undefined;
}

/**
 * Whose part it is: its owner, or else its namespace, or else the cluster. A pod is a part of its deployment where replica
 * sets are left out.
 */
export function parentsOf(object: KubernetesObject, cluster: string): ItemReference[] {
  const { namespace } = object.metadata;
  const deployment = object.kind === "Pod" ? deploymentOf(object) : undefined;
  return [
    ...ownersOf(object).map(({ uid }) => ({ externalId: uid })),
    ...(deployment
      ? [{ externalId: aliasOf(cluster, { kind: "Deployment", namespace, name: deployment }) }]
      : []),
    ...(namespace
      ? [{ externalId: aliasOf(cluster, { kind: "Namespace", name: namespace }) }]
      : []),
    { externalId: clusterId(cluster) },
  ];
}

export interface RelationParts {
  cluster: string;
  services: ReadonlyMap<string, readonly ServiceSelector[]>;
}

/** One thing that an object names. */
interface Named extends ObjectName {
  isIncoming?: boolean;
}

const workloads = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

/** The description of the pods of something that makes pods. */
function podSpecOf(object: Value, kind: string): Value {
  if (kind === "Pod") return at(object, "spec");
  if (workloads.has(kind)) return at(object, "spec", "template", "spec");
  if (kind === "CronJob") return at(object, "spec", "jobTemplate", "spec", "template", "spec");
  return null;
}

/** What pods mount and run as; the names stand in their own namespace. */
function usedBy(podSpec: Value): Omit<Named, "namespace">[] {
  const named = (kind: string, ...names: string[]) =>
    names.filter(Boolean).map((name) => ({ kind, name }));
  const volumes = list(podSpec, "volumes").flatMap((volume) => [
    ...named("ConfigMap", text(volume, "configMap", "name")),
    ...named("Secret", text(volume, "secret", "secretName")),
    ...named("PersistentVolumeClaim", text(volume, "persistentVolumeClaim", "claimName")),
    ...list(volume, "projected", "sources").flatMap((source) => [
      ...named("ConfigMap", text(source, "configMap", "name")),
      ...named("Secret", text(source, "secret", "name")),
    ]),
  ]);
  const containers = [...list(podSpec, "initContainers"), ...list(podSpec, "containers")];
  const variables = containers.flatMap((container) => [
    ...list(container, "envFrom").flatMap((one) => [
      ...named("ConfigMap", text(one, "configMapRef", "name")),
      ...named("Secret", text(one, "secretRef", "name")),
    ]),
    ...list(container, "env").flatMap((one) => [
      ...named("ConfigMap", text(one, "valueFrom", "configMapKeyRef", "name")),
      ...named("Secret", text(one, "valueFrom", "secretKeyRef", "name")),
    ]),
  ]);
  return [
    ...volumes,
    ...variables,
    ...list(podSpec, "imagePullSecrets").flatMap((one) => named("Secret", text(one, "name"))),
    ...named("ServiceAccount", text(podSpec, "serviceAccountName")),
  ];
}

function servicesOf(object: KubernetesObject, { services }: RelationParts): Named[] {
  const { namespace = "", labels = {} } = object.metadata;
  return (services.get(namespace) ?? [])
    .filter((service) =>
      service.labels.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value),
    )
    .map(({ name }) => ({ kind: "Service", namespace, name, isIncoming: true }));
}

/** What objects of a kind name in fields of their own. */
const byKind: Readonly<Record<string, (object: Value, namespace: string) => Named[]>> = {
  Ingress: (object, namespace) => {
    const backends = [
      at(object, "spec", "defaultBackend"),
      at(object, "spec", "backend"),
      ...list(object, "spec", "rules").flatMap((rule) =>
        list(rule, "http", "paths").map((path) => at(path, "backend")),
      ),
    ];
    return [
      ...backends.map((backend) => ({
        kind: "Service",
        namespace,
        name: text(backend, "service", "name") || text(backend, "serviceName"),
      })),
      ...list(object, "spec", "tls").map((tls) => ({
        kind: "Secret",
        namespace,
        name: text(tls, "secretName"),
      })),
    ];
  },
  HTTPRoute: (object, namespace) => [
    ...list(object, "spec", "rules").flatMap((rule) =>
      list(rule, "backendRefs").map((backend) => ({
        kind: text(backend, "kind") || "Service",
        namespace: text(backend, "namespace") || namespace,
        name: text(backend, "name"),
      })),
    ),
    ...list(object, "spec", "parentRefs").map((parent) => ({
      kind: text(parent, "kind") || "Gateway",
      namespace: text(parent, "namespace") || namespace,
      name: text(parent, "name"),
      isIncoming: true,
    })),
  ],
  HorizontalPodAutoscaler: (object, namespace) => [
    {
      kind: text(object, "spec", "scaleTargetRef", "kind"),
      namespace,
      name: text(object, "spec", "scaleTargetRef", "name"),
    },
  ],
  PersistentVolumeClaim: (object) => [
    { kind: "PersistentVolume", name: text(object, "spec", "volumeName") },
    { kind: "StorageClass", name: text(object, "spec", "storageClassName") },
  ],
  StatefulSet: (object, namespace) => [
    { kind: "Service", namespace, name: text(object, "spec", "serviceName"), isIncoming: true },
  ],
  RoleBinding: (object, namespace) => bound(object, namespace),
  ClusterRoleBinding: (object) => bound(object, ""),
  ServiceAccount: (object, namespace) =>
    [...list(object, "secrets"), ...list(object, "imagePullSecrets")].map((one) => ({
      kind: "Secret",
      namespace,
      name: text(one, "name"),
    })),
  Certificate: (object, namespace) => {
    const kind = text(object, "spec", "issuerRef", "kind") || "Issuer";
    return [
      { kind: "Secret", namespace, name: text(object, "spec", "secretName") },
      {
        kind,
        namespace: kind === "ClusterIssuer" ? "" : namespace,
        name: text(object, "spec", "issuerRef", "name"),
      },
    ];
  },
  Kustomization: (object, namespace) => [source(at(object, "spec", "sourceRef"), namespace)],
  HelmRelease: (object, namespace) => [
    source(at(object, "spec", "chart", "spec", "sourceRef"), namespace),
    source(at(object, "spec", "chartRef"), namespace),
  ],
};

const source = (reference: Value, namespace: string): Named => ({
  kind: text(reference, "kind"),
  namespace: text(reference, "namespace") || namespace,
  name: text(reference, "name"),
});

function bound(object: Value, namespace: string): Named[] {
  const kind = text(object, "roleRef", "kind");
  return [
    {
      kind,
      namespace: kind === "ClusterRole" ? "" : namespace,
      name: text(object, "roleRef", "name"),
    },
    ...list(object, "subjects")
      .filter((subject) => text(subject, "kind") === "ServiceAccount")
      .map((subject) => ({
        kind: "ServiceAccount",
        namespace: text(subject, "namespace") || namespace,
        name: text(subject, "name"),
      })),
  ];
}

/** By which release, application or folder of a repository it was put there. */
function deliveredBy({ metadata }: KubernetesObject, cluster: string): Relation[] {
  const { labels = {}, annotations = {}, namespace = "" } = metadata;
  const by = (kind: string, label: string): Relation[] => {
    const name = labels[`${label}/name`];
    const to = { kind, namespace: labels[`${label}/namespace`] ?? namespace, name: name ?? "" };
    return name ? [{ ...incoming(kind), to: { externalId: aliasOf(cluster, to) } }] : [];
  };
  const incoming = (kind: string) => ({ relation: kind, isIncoming: true });
  const flux = [
    ...by("HelmRelease", "helm.toolkit.fluxcd.io"),
    ...by("Kustomization", "kustomize.toolkit.fluxcd.io"),
  ];
  const release = annotations["meta.helm.sh/release-name"];
  const helm: Relation[] =
    release && flux.length === 0
      ? [
          {
            ...incoming("HelmRelease"),
            to: {
              externalId: aliasOf(cluster, {
                kind: "HelmRelease",
                namespace: annotations["meta.helm.sh/release-namespace"] ?? namespace,
                name: release,
              }),
            },
          },
        ]
      : [];
  // `app:group/Kind:namespace/name`, with the namespace of the application before it where it has one of its own.
  const tracked = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0];
  const application = tracked || labels["argocd.argoproj.io/instance"];
  const argo: Relation[] = application
    ? [
        {
          ...incoming("Application"),
          to: { externalId: applicationAlias(cluster, application.split("_").at(-1)!) },
        },
      ]
    : [];
  return [...flux, ...helm, ...argo];
}

/** The machine of a node, as a scraper of Amazon knows it. */
function machineOf(node: Value): Relation[] {
  const externalId = text(node, "spec", "providerID");
  return externalId.startsWith("aws://")
    ? [
        {
          to: { externalId, type: "AWS::EC2::Instance" },
          relation: "InstanceNode",
          isIncoming: true,
        },
      ]
    : [];
}

/** Everything that an object is related to besides its parent, each once. */
export function relationsOf(object: KubernetesObject, parts: RelationParts): Relation[] {
  const { cluster } = parts;
  const { kind = "" } = object;
  const { namespace = "", uid } = object.metadata;
  const [, ...owners] = ownersOf(object);
  const value = object as Value;
  const own = Object.hasOwn(byKind, kind) ? byKind[kind]!(value, namespace) : [];
  const isPod = kind === "Pod";
  const named: Named[] = [
    ...(isPod
      ? [
          { kind: "Node", name: text(value, "spec", "nodeName"), isIncoming: true },
          ...servicesOf(object, parts),
        ]
      : []),
    ...usedBy(podSpecOf(value, kind)).map((one) => ({ ...one, namespace })),
    ...own,
  ];
  const relations: Relation[] = [
    ...owners.map((owner) => ({
      to: { externalId: owner.uid },
      relation: `${owner.kind}${kind}`,
      isIncoming: true,
    })),
    ...named
      .filter((one) => one.kind !== "" && one.name !== "")
      .map(({ isIncoming, ...to }) => ({
        to: { externalId: aliasOf(cluster, to) },
        relation: isIncoming ? `${to.kind}${kind}` : `${kind}${to.kind}`,
        ...(isIncoming && { isIncoming }),
      })),
    ...(kind === "Node" ? machineOf(value) : []),
    ...deliveredBy(object, cluster).map((relation) => ({
      ...relation,
      relation: `${relation.relation}${kind}`,
    })),
  ];
  return [
    ...new Map(
      relations.map((one) => [`${one.relation}/${JSON.stringify(one.to)}`, one] as const),
    ).values(),
  ].filter(({ to }) => (to as ItemReference).externalId !== uid);
}

/** The application that an object is, where it is one. */
export const isApplication = ({ kind, apiVersion = "" }: KubernetesObject): boolean =>
  kind === "Application" && groupOf({ apiVersion }) === "argoproj.io";
