import { type ConfigQuery, configQuery, ResourceSelector } from "@mainstay/contract";
import type { z } from "zod";
import { invalid } from "#platform/errors.ts";

/** The keys that a selector has; what stands beside them in a document is not its business. */
const keys = Object.keys(ResourceSelector.shape);

const isSet = (value: unknown) => value !== undefined && value !== null && value !== "";

/** A value within a list of the syntax of Kubernetes selectors. */
const joined = (...parts: (string | undefined | null)[]) => parts.filter(isSet).join(",");

/**
 * A selector of a document as searches take it, with what older documents say in words of their own.
 * @param query as it is stored, which may be anything: rows are written through doors that do not judge selectors
 * @throws AppError invalid, with what is wrong
 */
export function selectorOf(query: unknown): ResourceSelector {
  if (!isMapping(query)) throw invalid("Expected a selector, which is a mapping.");
  const said = Object.fromEntries(Object.entries(query).filter(([, value]) => isSet(value)));
  const {
    type,
    tags,
    class: configClass,
    external_id: externalId,
    ...own
  } = read(configQuery, said);
  const tagSelector = joined(
    own.tagSelector,
    ...Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`),
  );
  const fieldSelector = joined(
    own.fieldSelector,
    isSet(configClass) ? `config_class=${configClass}` : undefined,
    isSet(externalId) ? `external_id=${externalId}` : undefined,
  );
  return read(ResourceSelector, {
    ...Object.fromEntries(keys.flatMap((key) => (isSet(own[key]) ? [[key, own[key]]] : []))),
    ...(isSet(type) && { types: [...listOf(own.types), type] }),
    ...(tagSelector !== "" && { tagSelector }),
    ...(fieldSelector !== "" && { fieldSelector }),
  });
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw invalid([issue?.path.join("."), issue?.message].filter((part) => isSet(part)).join(": "));
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
