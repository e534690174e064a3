import { z } from "zod";

/** Marks an object of which only some fields are described: the others are read as well. */
export const openName = "x-open";

export type JsonSchema = Record<string, unknown>;

const built = new Map<z.ZodType, JsonSchema>();

/** JSON Schema of what is written, for editors: made once. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = built.get(schema);
  if (known) return known;
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  built.set(schema, made);
  return made;
}
