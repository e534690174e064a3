import type { Finding } from "./findings.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Values that stand elsewhere: whether a document says where, whole. */

type Path = readonly (string | number)[];
type Written = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Written =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSet = (value: unknown) => value !== undefined && value !== null && value !== "";

const holders = { secretKeyRef: "Secret", configMapKeyRef: "ConfigMap", helmRef: "Helm release" };
const sources = [...Object.keys(holders), "serviceAccount", "fieldRef"];

/** Why a text that says where its value stands does not say it; undefined when it does, or holds the value itself. */
export function wrongReference(text: string): string | undefined {
  const found = /^(secret|configmap|helm|serviceaccount):\/\/(.*)$/s.exec(text);
  if (!found) return undefined;
  const [, scheme, rest = ""] = found;
  if (scheme === "serviceaccount")
    return /^[^/\s]+$/.test(rest) ? undefined : "Expected serviceaccount://name.";
  return /^[^/\s]+\/.+$/s.test(rest)
    ? undefined
    : `Expected ${scheme}://name/key: both are needed.`;
}

const refusal = (path: Path, message: string): Finding => ({ severity: "error", path, message });

/** What is missing in references to keys, wherever they stand: in `valueFrom`, or right in a variable. */
function judgeKeys(holder: Written, path: Path): Finding[] {
  return Object.entries(holders).flatMap(([word, what]) => {
    const reference = holder[word];
    if (reference === undefined) return [];
    return (["name", "key"] as const).flatMap((field) =>
      isMap(reference) && isSet(reference[field])
        ? []
        : [
            refusal(
              [...path, word, field],
              `"${field}" is missing: a value in a ${what} needs its name and its key.`,
            ),
          ],
    );
  });
}

/** A value as an object. What it holds itself comes before what stands elsewhere. */
function judgeValue(holder: Written, path: Path): Finding[] {
  const { value, valueFrom } = holder;
  if (isSet(value) || valueFrom === undefined) return [];
  const at = [...path, "valueFrom"];
  if (!isMap(valueFrom) || !sources.some((word) => isSet(valueFrom[word])))
    return [refusal(at, "This says of no value where it stands: a secretKeyRef, for example.")];
  return judgeKeys(valueFrom, at);
}

/** A template may still make a whole one of it. */
function judgeText(text: string, path: Path): Finding[] {
  const wrong = text.includes("{{") || text.includes("$(") ? undefined : wrongReference(text);
  return wrong === undefined ? [] : [refusal(path, wrong)];
}

/** References in everything that was written, for a kind that holds nothing but values. */
export function findWrongReferences(found: unknown, path: Path): Finding[] {
  if (typeof found === "string") return judgeText(found, path);
  if (Array.isArray(found))
    return found.flatMap((item, index) => findWrongReferences(item, [...path, index]));
  if (!isMap(found)) return [];
  return [
    ...judgeValue(found, path),
    ...Object.entries(found).flatMap(([key, inner]) =>
      key === "valueFrom" ? [] : findWrongReferences(inner, [...path, key]),
    ),
  ];
}

const branchOf = (schema: JsonSchema, type: string): JsonSchema => {
  const branches = (schema.anyOf as JsonSchema[] | undefined) ?? [schema];
  return branches.find((branch) => branch.type === type) ?? {};
};

/** References where the schema says that a value may stand elsewhere; other documents inside this one are let be. */
export function findWrongReferencesBy(schema: JsonSchema, found: unknown, path: Path): Finding[] {
  if (Array.isArray(found)) {
    const { items } = branchOf(schema, "array");
    return isMap(items)
      ? found.flatMap((item, index) => findWrongReferencesBy(items, item, [...path, index]))
      : [];
  }
  const { properties, additionalProperties } = branchOf(schema, "object");
  const fields = isMap(properties) ? properties : {};
  if (Object.hasOwn(fields, "valueFrom"))
    return typeof found === "string" || isMap(found)
      ? [
          ...findWrongReferences(found, path),
          ...(isMap(found) && !isSet(found["value"]) && Object.hasOwn(fields, "secretKeyRef")
            ? judgeKeys(found, path)
            : []),
        ]
      : [];
  if (!isMap(found)) return [];
  return Object.entries(found).flatMap(([key, inner]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : additionalProperties;
    return isMap(field) ? findWrongReferencesBy(field, inner, [...path, key]) : [];
  });
}
