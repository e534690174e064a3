import { secretPlaceholder } from "@mainstay/contract/secrets/marks.ts";
import { emptySourced, type SourcedValue } from "@mainstay/ui/fields/SourcedField.tsx";

/** Values of documents: written down, or in a secret or a config map (spec formats, section 2.1). */

type Map = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Map =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";

const refs = { secretKeyRef: "secret", configMapKeyRef: "configmap" } as const;

/** What a form can show of a value; nothing where it comes from elsewhere still, a Helm release for example. */
export function sourcedOfEnvVar(value: unknown): SourcedValue | undefined {
  if (!isMap(value)) return { ...emptySourced, value: text(value) };
  const { valueFrom } = value;
  // Variables of a document may name their source without `valueFrom`.
  if ("secretKeyRef" in value || "configMapKeyRef" in value || "fieldRef" in value)
    return undefined;
  if (valueFrom === undefined || valueFrom === null)
    return { ...emptySourced, value: text(value["value"]) };
  if (!isMap(valueFrom)) return undefined;
  for (const [ref, from] of Object.entries(refs)) {
    const selector = valueFrom[ref];
    if (isMap(selector))
      return { ...emptySourced, from, name: text(selector["name"]), key: text(selector["key"]) };
  }
  return undefined;
}

/** Where in a value the parts of a reference stand, of which one may be missing. */
export const referencePaths = Object.keys(refs).flatMap((ref) =>
  ["name", "key"].map((part) => ["valueFrom", ref, part]),
);

export const isStored = (value: unknown): boolean =>
  value === secretPlaceholder || (isMap(value) && value["value"] === secretPlaceholder);

/**
 * The value as a document writes it; nothing where neither a name nor a key is there. Half of a reference is written as
 * it is: no such document is saved, and what is missing is told. What stands beside it stays.
 */
export function envVarOf(sourced: SourcedValue, before: unknown): unknown {
  const { value: _value, valueFrom: _from, ...beside } = isMap(before) ? before : {};
  if (sourced.from === "static")
    return sourced.value === "" && Object.keys(beside).length === 0
      ? undefined
      : { ...beside, value: sourced.value };
  const name = sourced.name.trim();
  const key = sourced.key.trim();
  if (name === "" && key === "") return undefined;
  const ref = sourced.from === "secret" ? "secretKeyRef" : "configMapKeyRef";
  return {
    ...beside,
    valueFrom: { [ref]: { ...(name !== "" && { name }), ...(key !== "" && { key }) } },
  };
}
