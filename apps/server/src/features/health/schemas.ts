import {
  canaryJsonSchema,
  canarySpecJsonSchema,
  checkJsonSchema,
  isSupportedCheckType,
  type JsonSchema,
} from "@mainstay/contract";
import { notFound } from "#platform/errors.ts";

/** JSON schemas by file name, for editors and other tools. */
export function schemaFile(file: string): JsonSchema {
  if (file === "canary.schema.json") return canaryJsonSchema();
  if (file === "canary.spec.schema.json" || file === "canary-spec.schema.json")
    return canarySpecJsonSchema();
  const type = /^health_(\w+)\.(?:spec\.)?schema\.json$/.exec(file)?.[1];
  const known = type && [type, type.toLowerCase()].find((name) => isSupportedCheckType(name));
  if (known && isSupportedCheckType(known)) return checkJsonSchema(known);
  throw notFound(`There is no schema called "${file.slice(0, 100)}".`);
}
