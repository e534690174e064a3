import type { EditorLanguage } from "./editor-api.ts";
import { formatYaml } from "./format-yaml.ts";
import { type Schema, schemaHelp } from "./schema-help.ts";
import { schemaChecker } from "./schema-problems.ts";

/** All that an editor can know of documents from their JSON Schema. Large: load it with the editor, not with a page. */
export function schemaLanguage(schema: Schema): EditorLanguage {
  const check = schemaChecker(schema);
  return {
    check: async (text) => check(text),
    format: async (text) => formatYaml(text),
    ...schemaHelp(schema),
  };
}
