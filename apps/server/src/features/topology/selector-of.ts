import { type ConfigQuery, ResourceSelector } from "@mainstay/contract";

/** The keys that a selector has; what stands beside them in a document is not its business. */
const keys = Object.keys(ResourceSelector.shape);

const isSet = (value: unknown) => value !== undefined && value !== null && value !== "";

/** A value within a list of the syntax of Kubernetes selectors. */
const joined = (...parts: (string | undefined | null)[]) => parts.filter(isSet).join(",");

/** A selector of a document as searches take it, with what older documents say in words of their own. */
export function selectorOf(query: ConfigQuery): ResourceSelector {
  const { type, tags, class: configClass, external_id: externalId } = query;
  const own = Object.fromEntries(
    keys.flatMap((key) => (isSet(query[key]) ? [[key, query[key]]] : [])),
  ) as ResourceSelector;
  const types = listOf(own.types);
  const tagSelector = joined(
    own.tagSelector,
    ...Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`),
  );
  const fieldSelector = joined(
    own.fieldSelector,
    isSet(configClass) ? `config_class=${configClass}` : undefined,
    isSet(externalId) ? `external_id=${externalId}` : undefined,
  );
  return {
    ...own,
    ...(isSet(type) && { types: [...types, type!] }),
    ...(tagSelector !== "" && { tagSelector }),
    ...(fieldSelector !== "" && { fieldSelector }),
  };
}

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? (value as string[]) : typeof value === "string" ? value.split(",") : [];

/** The selector, of things with a tag or a label alone. */
export const withTag = <Selector extends ConfigQuery>(
  selector: Selector,
  key: "tagSelector" | "labelSelector",
  { tag, value }: { tag: string; value: string },
): Selector => ({
  ...selector,
  [key]: joined(selector[key], `${tag}=${value}`),
});
