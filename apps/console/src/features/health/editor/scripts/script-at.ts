import { isScalar } from "yaml";
import {
  readYamlDocuments,
  type YamlPath,
  yamlPathAt,
} from "@mainstay/contract/documents/text/edit-yaml.ts";

export const scriptLanguages = {
  cel: "CEL",
  gotemplate: "Go template",
  javascript: "Javascript",
  jsonpath: "JSONPath",
} as const;
export type ScriptLanguage = keyof typeof scriptLanguages;

/** A script of a check, where the cursor is in it. */
export interface ScriptAt {
  language: ScriptLanguage;
  text: string;
  /** As people find it: `test`, `metrics.0`. */
  name: string;
  checkType: string;
  checkName: string;
  canary: { name: string; namespace: string };
}

const languageOf: Readonly<Record<string, ScriptLanguage>> = {
  expr: "cel",
  template: "gotemplate",
  javascript: "javascript",
  jsonPath: "jsonpath",
  jsonpath: "jsonpath",
};

/** The language of what stands at a way within a check, and what it is called. */
function placed(within: YamlPath): { language: ScriptLanguage; name: string } | undefined {
  const [first, second, third, , last] = within;
  if (first === "test" || first === "display" || first === "transform") {
    const language = languageOf[String(second)];
    return language && within.length === 2 ? { language, name: first } : undefined;
  }
  if (first !== "metrics" || typeof second !== "number") return undefined;
  const isScript = third === "value" || (third === "labels" && last === "valueExpr");
  return isScript ? { language: "cel", name: `metrics.${second}` } : undefined;
}

/** The script that a place of the text lies in; `unreadable` where the text is not YAML at the moment. */
export function scriptAt(text: string, offset: number): ScriptAt | undefined | "unreadable" {
  const documents = readYamlDocuments(text);
  if (!documents) return "unreadable";
  const at = yamlPathAt(text, offset);
  const document = at && documents[at.document];
  if (!document) return undefined;
  const [spec, checkType, index] = at.path;
  const isInList = typeof index === "number";
  const check = at.path.slice(0, isInList ? 3 : 2);
  const script = placed(at.path.slice(check.length));
  if (spec !== "spec" || typeof checkType !== "string" || !script) return undefined;
  const value = document.getIn(at.path, true);
  const textAt = (path: YamlPath) => {
    const found = document.getIn(path);
    return typeof found === "string" ? found : "";
  };
  return {
    ...script,
    text: isScalar(value) && typeof value.value === "string" ? value.value : "",
    checkType,
    checkName: textAt([...check, "name"]),
    canary: {
      name: textAt(["metadata", "name"]),
      namespace: textAt(["metadata", "namespace"]) || "default",
    },
  };
}
