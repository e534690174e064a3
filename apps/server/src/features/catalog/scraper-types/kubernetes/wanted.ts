import { isInMatchList, type KubernetesScraper, parseMatchList } from "@mainstay/contract";
import { groupOf, type Served } from "#platform/kubernetes/kinds.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";

/** Names, namespaces, kinds and the like; nothing fits a list that is not there. */
export type Names = (...spellings: string[]) => boolean;

/** Whether something is in a list under one of its names, and is under none of them taken out. */
export function namesIn(patterns: readonly string[] | undefined): Names {
  if (!patterns?.length) return () => false;
  const { include, exclude } = parseMatchList(patterns);
  return (...spellings) =>
    spellings.every((text) => isInMatchList({ include: [], exclude }, text)) &&
    spellings.some((text) => isInMatchList({ include, exclude: [] }, text));
}

/** Of groups that answer with what they measure, or with copies of what another group has. */
const noObjects: readonly RegExp[] = [
  /^metrics\.k8s\.io$/,
  /\.metrics\.k8s\.io$/,
  /^events\.k8s\.io$/,
];
/** Whether a group, by its name or that of one of its versions, has objects of its own. */
export const hasObjects = (group: string): boolean =>
  !noObjects.some((pattern) => pattern.test(group));

/** What happened to objects is told as their changes. */
const noItems = new Set(["Event", "ComponentStatus"]);

/** A kind under all the names that people exclude it by: `Lease`, `leases`, `leases.coordination.k8s.io`, `lease`. */
function namesOf(kind: Served): string[] {
  const group = groupOf(kind);
  const plain = [kind.kind, kind.plural, ...kind.names].filter(Boolean);
  return group ? [...plain, ...plain.map((name) => `${name}.${group}`)] : plain;
}

const groupKind = (kind: { apiVersion: string; kind: string }) => `${groupOf(kind)}/${kind.kind}`;

export interface Wanted {
  /** Those that are read; what is said of objects afterwards knows the others. */
  kinds(served: readonly Served[]): Served[];
  /** Objects of a kind that is wanted. */
  holds(object: KubernetesObject): boolean;
  /** The kinds that are left out, by group and kind. */
  leftOut: ReadonlySet<string>;
  /** Whether an object that is known by these alone may be an item. */
  mayHold(object: { apiVersion: string; kind: string; namespace: string; name: string }): boolean;
}

const annotation = (name: string) => `config-db.flanksource.com/${name}`;
export const annotations = {
  ignore: annotation("ignore"),
  ignoreChanges: annotation("ignore-changes"),
  ignoreSeverities: annotation("ignore-change-severity"),
  tags: annotation("tags"),
} as const;

const isTrue = (text: string | undefined) => /^(true|1|t|yes)$/i.test(text?.trim() ?? "");

/** What a document says of the objects that it wants and of those that it leaves out. */
export function wantedBy(
  { exclusions = {}, namespace, scope }: KubernetesScraper,
  known: readonly string[] = [],
): Wanted {
  const isExcluded = {
    kind: namesIn(exclusions.kind),
    name: namesIn(exclusions.name),
    namespace: namesIn(exclusions.namespace),
  };
  const labels = Object.entries(exclusions.labels ?? {}).map(
    ([key, value]) =>
      [key, value === "" ? (text: string) => text === "" : namesIn([value])] as const,
  );
  const leftOut = new Set(known);
  const mayHold: Wanted["mayHold"] = (object) =>
    !leftOut.has(groupKind(object)) &&
    !isExcluded.name(object.name) &&
    !isExcluded.namespace(object.kind === "Namespace" ? object.name : object.namespace);
  const isLeftOut = (kind: Served): boolean => {
    if (!isExcluded.kind(...namesOf(kind))) return false;
    leftOut.add(groupKind(kind));
    return true;
  };
  return {
    kinds(served) {
      const others = new Set(
        served.filter((one) => groupOf(one) !== "extensions").map(({ plural }) => plural),
      );
      return served.filter(
        (kind) =>
          (kind.verbs.length === 0 || kind.verbs.includes("list")) &&
          !noItems.has(kind.kind) &&
          hasObjects(groupOf(kind)) &&
          !(groupOf(kind) === "extensions" && others.has(kind.plural)) &&
          (kind.isNamespaced || (!namespace && scope !== "namespaced")) &&
          !isLeftOut(kind),
      );
    },
    holds({ apiVersion = "", kind = "", metadata }) {
      const own = metadata.labels ?? {};
      return (
        mayHold({
          apiVersion,
          kind,
          namespace: metadata.namespace ?? "",
          name: metadata.name ?? "",
        }) &&
        !labels.some(([key, fits]) => Object.hasOwn(own, key) && fits(own[key] ?? "")) &&
        !isTrue(metadata.annotations?.[annotations.ignore])
      );
    },
    leftOut,
    mayHold,
  };
}
