import { z } from "zod";
import { type AskOptions, askForJson, pathOf } from "./ask-cluster.ts";
import type { Cluster } from "./cluster.ts";
import { isMissing } from "./kubernetes-error.ts";

/** One kind of objects, as the cluster serves it. */
export interface Kind {
  kind: string;
  /** `v1`, `apps/v1`. */
  apiVersion: string;
  /** Its name in addresses: `pods`. */
  plural: string;
  isNamespaced: boolean;
}

/** A kind with all that a cluster says of it. */
export interface Served extends Kind {
  /** What people call it besides: singular and short names. */
  names: readonly string[];
  /** What can be done with its objects: `list`, `watch`. */
  verbs: readonly string[];
}

/** Every kind of a cluster, each once. */
export interface ServedKinds {
  kinds: Served[];
  /** Groups that the cluster can tell nothing of now. */
  unread: UnreadGroup[];
}

export interface UnreadGroup {
  /** `apps`. */
  group: string;
  /** Why not. */
  message: string;
  /** The kinds that it had when it could be told; absent where nobody knows. */
  kinds?: string[];
}

/** Asked for by one name; `apiVersion` when several groups have it. */
export interface WantedKind {
  kind: string;
  apiVersion?: string | undefined;
}

/** More groups than any cluster has. */
const mostGroups = 400;
const aggregated = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

const text = z.string().catch("");
const names = z.array(z.string()).catch([]);
const discoveryShape = z.looseObject({
  kind: z.literal("APIGroupDiscoveryList"),
  items: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: text }).catch({ name: "" }),
      versions: z.array(
        z.looseObject({
          version: z.string(),
          freshness: text,
          resources: z
            .array(
              z.looseObject({
                resource: z.string(),
                responseKind: z.looseObject({ kind: z.string() }).nullish().catch(null),
                scope: text,
                singularResource: text,
                shortNames: names,
                verbs: names,
              }),
            )
            .catch([]),
        }),
      ),
    }),
  ),
});
const groupsShape = z.looseObject({
  groups: z.array(
    z.looseObject({
      name: z.string(),
      preferredVersion: z.looseObject({ groupVersion: z.string() }),
      versions: z.array(z.looseObject({ groupVersion: z.string() })).catch([]),
    }),
  ),
});
const resourcesShape = z.looseObject({
  resources: z.array(
    z.looseObject({
      name: z.string(),
      kind: z.string(),
      namespaced: z.boolean(),
      singularName: text,
      shortNames: names,
      verbs: names,
    }),
  ),
});

const versionPath = (apiVersion: string): string =>
  apiVersion.includes("/") ? pathOf("apis", ...apiVersion.split("/")) : pathOf("api", apiVersion);

/** The kinds of one group and version. */
async function kindsOf(apiVersion: string, cluster: Cluster, ask: AskOptions): Promise<Served[]> {
  const question = { path: versionPath(apiVersion), task: `list the kinds of ${apiVersion}` };
  const found = resourcesShape.safeParse(await askForJson(cluster, question, ask));
  return (found.data?.resources ?? [])
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced, singularName, shortNames, verbs }) => ({
      kind,
      apiVersion,
      plural: name,
      isNamespaced: namespaced,
      names: [singularName, ...shortNames],
      verbs,
    }));
}

/** All that a discovery document says; of a group the preferred version, which stands first. */
function kindsIn(document: z.output<typeof discoveryShape>): Served[] {
  return document.items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.flatMap(({ resource, responseKind, scope, singularResource, shortNames, verbs }) =>
        responseKind
          ? [
              {
                kind: responseKind.kind,
                apiVersion: metadata.name ? `${metadata.name}/${version}` : version,
                plural: resource,
                isNamespaced: scope === "Namespaced",
                names: [singularResource, ...shortNames],
                verbs,
              },
            ]
          : [],
      ),
    ),
  );
}

function pick(served: readonly Served[], { kind, apiVersion }: WantedKind): Kind | undefined {
  const wanted = kind.toLowerCase();
  const fitting = served.filter((one) => !apiVersion || one.apiVersion === apiVersion);
  return (
    fitting.find((one) => one.kind === kind) ??
    fitting.find(
      (one) =>
        one.kind.toLowerCase() === wanted || one.plural === wanted || one.names.includes(wanted),
    )
  );
}

/** `Deployment.v1.apps` and `Certificate.cert-manager.io` say their group in the kind. */
function splitKind({ kind, apiVersion }: WantedKind): WantedKind & { group?: string } {
  const [name = "", ...rest] = kind.split(".");
  if (rest.length === 0 || apiVersion) return { kind, apiVersion };
  const [version = "", ...group] = rest;
  if (/^v\d/.test(version))
    return { kind: name, apiVersion: [group.join("."), version].filter(Boolean).join("/") };
  return { kind: name, group: rest.join(".") };
}

/** How the cluster serves a kind. Rejects with a sentence when it does not know it. */
export async function findKind(
  wanted: WantedKind,
  cluster: Cluster,
  ask: AskOptions,
): Promise<Kind> {
  const { kind, apiVersion, group } = splitKind(wanted);
  const unknown = () =>
    new Error(
      `the cluster knows no kind "${kind}"${apiVersion ? ` of ${apiVersion}` : ""}${group ? ` of ${group}` : ""}`,
    );
  if (apiVersion !== undefined && apiVersion !== "") {
    const served = await kindsOf(apiVersion, cluster, ask).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const found = pick(served, { kind });
    if (found) return found;
    throw unknown();
  }
  const inGroup = (one: Kind) => group === undefined || one.apiVersion.startsWith(`${group}/`);
  const question = { accept: aggregated, task: "list the kinds of the cluster" };
  const core = await askForJson(cluster, { ...question, path: pathOf("api") }, ask);
  const ofCore = discoveryShape.safeParse(core);
  const first = pick(
    (ofCore.success ? kindsIn(ofCore.data) : await kindsOf("v1", cluster, ask)).filter(inGroup),
    { kind },
  );
  if (first) return first;
  const rest = await askForJson(cluster, { ...question, path: pathOf("apis") }, ask);
  const ofRest = discoveryShape.safeParse(rest);
  if (ofRest.success) {
    const found = pick(kindsIn(ofRest.data).filter(inGroup), { kind });
    if (found) return found;
    throw unknown();
  }
  const groups = groupsShape.safeParse(rest).data?.groups ?? [];
  for (const { name, preferredVersion } of groups.slice(0, mostGroups)) {
    if (group !== undefined && name !== group) continue;
    // A group whose server is away must not hide the others.
    const served = await kindsOf(preferredVersion.groupVersion, cluster, ask).catch(() => {
      ask.signal.throwIfAborted();
      return [];
    });
    const found = pick(served, { kind });
    if (found) return found;
  }
  throw unknown();
}

/** Of a kind that has several versions the first, which its group prefers. */
function eachOnce(served: readonly Served[]): Served[] {
  const known = new Map<string, Served>();
  for (const one of served) {
    const key = `${groupOf(one)}/${one.plural}`;
    if (!known.has(key)) known.set(key, one);
  }
  return [...known.values()];
}

/** `apps`; nothing for the core. */
export const groupOf = ({ apiVersion }: Pick<Kind, "apiVersion">): string =>
  apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";

/** Every kind that a cluster serves, those that somebody has added too. */
export async function listKinds(cluster: Cluster, ask: AskOptions): Promise<ServedKinds> {
  const question = { accept: aggregated, task: "list the kinds of the cluster" };
  const core = await askForJson(cluster, { ...question, path: pathOf("api") }, ask);
  const rest = await askForJson(cluster, { ...question, path: pathOf("apis") }, ask);
  const found = [core, rest].map((answer) => discoveryShape.safeParse(answer));
  const documents = found.flatMap(({ data }) => (data ? [data] : []));
  if (documents.length === 2)
    return {
      kinds: eachOnce(documents.flatMap(kindsIn)),
      unread: documents
        .flatMap(({ items }) => items)
        .filter(({ versions }) => versions.some(({ freshness }) => freshness === "Stale"))
        .map(({ metadata: { name }, versions }) => {
          const kinds = versions
            .flatMap(({ resources }) => resources)
            .flatMap(({ responseKind }) => responseKind?.kind ?? []);
          return {
            group: name,
            message: `the cluster cannot tell the kinds of ${name} now`,
            ...(kinds.length > 0 && { kinds: [...new Set(kinds)] }),
          };
        }),
    };
  const groups = groupsShape.safeParse(rest);
  if (!groups.success)
    throw new Error(`cannot ${question.task}: it does not answer as a Kubernetes cluster`);
  const served = await kindsOf("v1", cluster, ask);
  const unread: UnreadGroup[] = [];
  for (const { preferredVersion, versions } of groups.data.groups.slice(0, mostGroups)) {
    const all = [preferredVersion, ...versions].map(({ groupVersion }) => groupVersion);
    for (const apiVersion of new Set(all))
      try {
        served.push(...(await kindsOf(apiVersion, cluster, ask)));
      } catch (error) {
        ask.signal.throwIfAborted();
        unread.push({ group: groupOf({ apiVersion }), message: (error as Error).message });
      }
  }
  return { kinds: eachOnce(served), unread };
}

/** The address of the objects of a kind. */
export function pathOfKind(kind: Kind, namespace?: string): string {
  const within = kind.isNamespaced && namespace ? pathOf("namespaces", namespace) : "";
  return `${versionPath(kind.apiVersion)}${within}${pathOf(kind.plural)}`;
}

/** Kinds that every cluster has, for callers who need no others. */
export const coreKinds = {
  secret: { kind: "Secret", apiVersion: "v1", plural: "secrets", isNamespaced: true },
  configMap: { kind: "ConfigMap", apiVersion: "v1", plural: "configmaps", isNamespaced: true },
  serviceAccount: {
    kind: "ServiceAccount",
    apiVersion: "v1",
    plural: "serviceaccounts",
    isNamespaced: true,
  },
  pod: { kind: "Pod", apiVersion: "v1", plural: "pods", isNamespaced: true },
  service: { kind: "Service", apiVersion: "v1", plural: "services", isNamespaced: true },
  namespace: { kind: "Namespace", apiVersion: "v1", plural: "namespaces", isNamespaced: false },
  node: { kind: "Node", apiVersion: "v1", plural: "nodes", isNamespaced: false },
  ingress: {
    kind: "Ingress",
    apiVersion: "networking.k8s.io/v1",
    plural: "ingresses",
    isNamespaced: true,
  },
} as const satisfies Record<string, Kind>;
