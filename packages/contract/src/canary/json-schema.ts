import { z } from "zod";
import { canaryEnvelope, canarySpec, checkSpecs, type SupportedCheckType } from "./canary-spec.ts";

export type JsonSchema = Record<string, unknown>;

const built = new Map<z.ZodType, JsonSchema>();

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const known = built.get(schema);
  if (known) return known;
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  built.set(schema, made);
  return made;
}

/** JSON Schema of a Canary document, for editors: what is written, with a description on every field. */
export const canaryJsonSchema = (): JsonSchema => jsonSchemaOf(canaryEnvelope);
/** JSON Schema of the bare spec, as the console edits it. */
export const canarySpecJsonSchema = (): JsonSchema => jsonSchemaOf(canarySpec);
/** JSON Schema of one check. */
export const checkJsonSchema = (type: SupportedCheckType): JsonSchema =>
  jsonSchemaOf(checkSpecs[type]);
