import { z } from "zod";

/** Marks an object of which only some fields are described: the others are read as well. */
export const openName = "x-open";

export type JsonSchema = Record<string, unknown>;

const built = new Map<z.ZodType, JsonSchema>();

/** Parts that say the same are one object: check types repeat most of what they have, in every format that holds them. */
const parts = new Map<string, object>();
const numbers = new Map<object, number>();

/** Schemas that others only name: those that hold themselves, and large ones that stand in many places. */
const named = new Map<string, () => z.ZodType>();
const definition = /^#\/\$defs\/(\w+)$/;

/**
 * The place of a schema within another, by its name. It accepts any mapping: what stands there is judged by whoever knows
 * the places (`DocumentFormat.judge`); editors are led to the schema by its name.
 */
export function refersTo(name: string, schema: () => z.ZodType) {
  named.set(name, schema);
  return z.looseObject({}).meta({ $ref: `#/$defs/${name}` });
}

/** JSON Schema of what is written, for editors: made once. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = built.get(schema);
  if (known) return known;
  const made = toJsonSchema(schema);
  const definitions: Record<string, JsonSchema> = {};
  const open = namesIn(made);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (Object.hasOwn(definitions, name)) continue;
    definitions[name] = toJsonSchema(named.get(name)!());
    open.push(...namesIn(definitions[name]));
  }
  if (Object.keys(definitions).length > 0) made.$defs = definitions;
  const shared = share(made) as JsonSchema;
  built.set(schema, shared);
  return shared;
}

/** `part` with all that it holds, each as the first one that said the same. */
function share(part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  const entries = Object.entries(part).map(([key, value]) => [key, share(value)] as const);
  // What it holds is shared already, so a number stands for it.
  const said = entries.map(([key, value]) => [key, numbers.get(value as object) ?? [value]]);
  const text = JSON.stringify([Array.isArray(part), said]);
  const known = parts.get(text);
  if (known) return known;
  const made = Array.isArray(part)
    ? entries.map(([, value]) => value)
    : Object.fromEntries(entries);
  parts.set(text, made);
  numbers.set(made, numbers.size);
  return made;
}

const toJsonSchema = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

/** What a schema refers to; of the reference only the name counts. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref } = schema as { $ref?: unknown };
  const name = typeof $ref === "string" ? definition.exec($ref)?.[1] : undefined;
  if (name !== undefined && named.has(name)) {
    for (const key of Object.keys(schema))
      if (key !== "$ref" && key !== "description") delete (schema as JsonSchema)[key];
    return [name];
  }
  return Object.values(schema).flatMap(namesIn);
}
