import { type JsonSchema, jsonSchemaOf } from "../documents/json-schema.ts";
import { canaryEnvelope, canarySpec, checkSpecs, type SupportedCheckType } from "./canary-spec.ts";

/** JSON Schema of a Canary document, for editors: what is written, with a description on every field. */
export const canaryJsonSchema = (): JsonSchema => jsonSchemaOf(canaryEnvelope);
/** JSON Schema of the bare spec, as the console edits it. */
export const canarySpecJsonSchema = (): JsonSchema => jsonSchemaOf(canarySpec);
/** JSON Schema of one check. */
export const checkJsonSchema = (type: SupportedCheckType): JsonSchema =>
  jsonSchemaOf(checkSpecs[type]);
