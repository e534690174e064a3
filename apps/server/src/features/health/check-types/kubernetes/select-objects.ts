import { matchesPattern, parseMatchList, toPattern } from "@mainstay/contract";
import { coreKinds, type Kind } from "#platform/kubernetes/kinds.ts";
import type { KubernetesClient } from "#platform/kubernetes/kubernetes-client.ts";
import type { KubernetesObject } from "#platform/kubernetes/list-objects.ts";
import { matchesSearch } from "./match-search.ts";

export interface Selector {
  name?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  search?: string | undefined;
}

export interface Selection {
  objects: KubernetesObject[];
  /** Where was looked, for messages: all namespaces when absent. */
  namespaces?: readonly string[];
  isCut: boolean;
}

/** Namespaces of one selector that are listed one by one. */
const mostNamespaces = 200;

/** Names of Kubernetes are small letters, so patterns are read as such. */
function nameTest(name: string | undefined): (text: string) => boolean {
  const { include, exclude } = parseMatchList((name ?? "").toLowerCase());
  return (text) =>
    !exclude.some((pattern) => matchesPattern(pattern, text)) &&
    (include.length === 0 || include.some((pattern) => matchesPattern(pattern, text)));
}

const isPlain = (name: string | undefined): boolean =>
  name !== undefined && /^[^*,!%]+$/.test(name.trim()) && name.trim() !== "";

const isEmpty = ({ name, labelSelector, fieldSelector, search }: Selector = {}) =>
  [name, labelSelector, fieldSelector, search].every((text) => !text?.trim());

/** A name that is spelled out is asked for; what is more is sorted out here. */
function query({ name, labelSelector, fieldSelector }: Selector) {
  const fields = [fieldSelector, isPlain(name) ? `metadata.name=${name!.trim()}` : ""]
    .map((text) => text?.trim())
    .filter(Boolean);
  return { labelSelector: labelSelector?.trim(), fieldSelector: fields.join(",") };
}

const passes = (selector: Selector) => {
  const isNamed = nameTest(selector.name);
  return (object: KubernetesObject) =>
    isNamed(object.metadata.name ?? "") &&
    (!selector.search?.trim() || matchesSearch(object, selector.search));
};

/** Undefined for all of them. */
async function namespacesOf(
  selector: Selector | undefined,
  client: KubernetesClient,
  own: string,
): Promise<string[] | undefined> {
  if (!selector || isEmpty(selector)) return [own];
  const { name, ...others } = selector;
  if (isEmpty(others)) {
    if (isPlain(name)) return [name!.trim()];
    if (name?.trim() === "*") return undefined;
  }
  const { objects } = await client.list(coreKinds.namespace, query(selector));
  const found = objects.filter(passes(selector)).map(({ metadata }) => metadata.name ?? "");
  if (found.length > mostNamespaces)
    throw new Error(
      `the namespaceSelector selects ${found.length} namespaces, at most ${mostNamespaces} are looked through: select fewer, or all with name "*"`,
    );
  return found;
}

/** The objects of a kind that both selectors select, but those with a name to be ignored. */
export async function selectObjects(
  kind: Kind,
  {
    client,
    namespace,
    namespaceSelector,
    resource = {},
    ignore = [],
  }: {
    client: KubernetesClient;
    namespace: string;
    namespaceSelector?: Selector | undefined;
    resource?: Selector | undefined;
    ignore?: readonly string[] | undefined;
  },
): Promise<Selection> {
  const namespaces = kind.isNamespaced
    ? await namespacesOf(namespaceSelector, client, namespace)
    : undefined;
  const isWanted = passes(resource);
  const ignored = ignore.map((name) => toPattern(name));
  const objects: KubernetesObject[] = [];
  let isCut = false;
  for (const one of namespaces ?? [undefined]) {
    const found = await client.list(kind, { namespace: one, ...query(resource) });
    isCut ||= found.isCut;
    for (const object of found.objects) {
      const name = object.metadata.name ?? "";
      if (isWanted(object) && !ignored.some((pattern) => matchesPattern(pattern, name)))
        objects.push(object);
    }
  }
  return { objects, isCut, ...(kind.isNamespaced && namespaces && { namespaces }) };
}
