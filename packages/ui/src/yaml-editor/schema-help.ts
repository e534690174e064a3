import type { EditorCompletion, EditorLanguage } from "./editor-api.ts";
import { yamlPlace } from "./yaml-place.ts";

/** The parts of JSON Schema that editor help reads. */
export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  /** May be written and is never shown: a secret. */
  writeOnly?: boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
  /** What drafts before 2019 call `$defs`. */
  definitions?: Record<string, Schema>;
}

const deepest = 40;

function resolved(schema: Schema, root: Schema): Schema {
  const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(schema.$ref ?? "")?.[1];
  const named = name === undefined ? undefined : (root.$defs?.[name] ?? root.definitions?.[name]);
  const target = schema.$ref === "#" ? root : named;
  return target
    ? { ...target, ...(schema.description ? { description: schema.description } : {}) }
    : schema;
}

/** A schema with its alternatives side by side. */
function variants(schema: Schema, root: Schema, depth = 0): Schema[] {
  if (depth > deepest) return [];
  const own = resolved(schema, root);
  const parts = [...(own.anyOf ?? []), ...(own.oneOf ?? []), ...(own.allOf ?? [])];
  return [own, ...parts.flatMap((part) => variants(part, root, depth + 1))];
}

/** The schemas that say what may stand at a path. */
export function schemasAt(root: Schema, path: readonly (string | number)[]): Schema[] {
  let at = variants(root, root);
  for (const step of path.slice(0, deepest)) {
    at = at.flatMap((schema) => {
      const next =
        typeof step === "number"
          ? schema.items
          : (schema.properties?.[step] ??
            (typeof schema.additionalProperties === "object"
              ? schema.additionalProperties
              : undefined));
      return next ? variants(next, root) : [];
    });
  }
  return at;
}

const typeOf = (schema: Schema, root: Schema): string => {
  const types = new Set(variants(schema, root).flatMap(({ type }) => type ?? []));
  return [...types].join(" or ");
};

/** What is put in behind a key: a place to go on writing. */
function insertion(key: string, schema: Schema, root: Schema): string {
  const types = variants(schema, root).flatMap(({ type }) => type ?? []);
  return types.length > 0 && types.every((type) => type === "object" || type === "array")
    ? `${key}:`
    : `${key}: `;
}

/** Keys that may be written at a path and are not there yet; those that must be there first. */
export function keyCompletions(
  root: Schema,
  path: readonly (string | number)[],
  siblings: readonly string[],
): EditorCompletion[] {
  const found = new Map<string, EditorCompletion & { isRequired: boolean }>();
  for (const schema of schemasAt(root, path)) {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      if (siblings.includes(key) || found.has(key)) continue;
      const isRequired = schema.required?.includes(key) ?? false;
      const { description } = resolved(property, root);
      found.set(key, {
        label: key,
        insert: insertion(key, property, root),
        detail: `${typeOf(property, root)}${isRequired ? ", required" : ""}${resolved(property, root).writeOnly ? ", secret" : ""}`,
        ...(description ? { documentation: description } : {}),
        isRequired,
      });
    }
  }
  return [...found.values()]
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
    .map(({ isRequired: _isRequired, ...option }) => option);
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Values that may be written for a key. */
export function valueCompletions(
  root: Schema,
  path: readonly (string | number)[],
  key: string,
): EditorCompletion[] {
  const values = new Set<string>();
  for (const schema of schemasAt(root, [...path, key])) {
    for (const value of schema.enum ?? []) values.add(asText(value));
    if (schema.const !== undefined) values.add(asText(schema.const));
    if (schema.type === "boolean") values.add("true").add("false");
  }
  return [...values].map((label) => ({ label }));
}

/** What a key is for. */
export function describeKey(
  root: Schema,
  path: readonly (string | number)[],
  key: string,
): string | undefined {
  const schemas = schemasAt(root, [...path, key]);
  const description = schemas
    .map((schema) => schema.description)
    .find((text) => text !== undefined);
  const type = schemas[0] ? typeOf(schemas[0], root) : "";
  const secret = schemas.some(({ writeOnly }) => writeOnly)
    ? "Secret: kept encrypted, and shown as ********. Leave that to keep it."
    : "";
  return description === undefined
    ? undefined
    : [description, secret, type].filter((line) => line !== "").join("\n");
}

/** Completion and help for documents of a schema. */
export function schemaHelp(schema: Schema): Pick<EditorLanguage, "complete" | "describe"> {
  return {
    complete: async (text, offset) => {
      const place = yamlPlace(text, offset);
      const options =
        place.openKey === undefined
          ? keyCompletions(schema, place.path, place.siblings)
          : valueCompletions(schema, place.path, place.openKey);
      return { from: place.from, options };
    },
    describe: async (text, offset) => {
      const lineEnd = text.indexOf("\n", offset);
      const place = yamlPlace(text, lineEnd < 0 ? text.length : lineEnd);
      const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
      if (place.openKey === undefined) return null;
      const from = text.indexOf(place.openKey, lineStart);
      const to = from + place.openKey.length;
      // Only the key explains itself, not what is written behind it.
      if (from < lineStart || offset < from || offset > to) return null;
      const description = describeKey(schema, place.path, place.openKey);
      return description === undefined ? null : { from, to, text: description };
    },
  };
}
