import {
  type DocumentFormat,
  type JsonSchema,
  jsonSchemaOf,
  type WrittenDocument,
} from "@mainstay/contract";
import { stringify } from "yaml";

/** A document as people read it, whose text nobody has written: always in the same order, that of its schema. */
export const writeDocument = (
  { envelope }: Pick<DocumentFormat, "envelope">,
  document: WrittenDocument,
): string => toYaml(ordered(document, [jsonSchemaOf(envelope)]));

export const toYaml = (value: unknown): string =>
  stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });

/** What names a thing comes first, also where no schema says anything of it. */
const firstOf = ["name", "type"];

function ordered(value: unknown, schemas: readonly JsonSchema[]): unknown {
  const known = schemas.flatMap(alternatives);
  if (Array.isArray(value)) {
    const items = known.flatMap(({ items: of }) => (isSchema(of) ? [of] : []));
    return value.map((item) => ordered(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const properties = known.map((schema) => (schema.properties ?? {}) as Record<string, JsonSchema>);
  const order = new Set([...firstOf, ...properties.flatMap((each) => Object.keys(each))]);
  const keys = Object.keys(value);
  const described = [...order].filter((key) => Object.hasOwn(value, key));
  const others = keys.filter((key) => !order.has(key)).toSorted(byName);
  return Object.fromEntries(
    [...described, ...others].map((key) => {
      const schemasOf = properties.flatMap((each) =>
        Object.hasOwn(each, key) ? [each[key]!] : [],
      );
      const more = known.flatMap(({ additionalProperties: of }) => (isSchema(of) ? [of] : []));
      return [
        key,
        ordered((value as Record<string, unknown>)[key], schemasOf.length > 0 ? schemasOf : more),
      ];
    }),
  );
}

const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null;

/** A schema and all that it is made of. */
function alternatives(schema: JsonSchema): JsonSchema[] {
  const parts = ["anyOf", "oneOf", "allOf"].flatMap(
    (word) => (schema[word] as JsonSchema[] | undefined) ?? [],
  );
  return [schema, ...parts.flatMap(alternatives)];
}
