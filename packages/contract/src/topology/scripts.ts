import type { ScriptLanguage } from "../canary/scripts.ts";
import type { WrittenSpec } from "../documents/document-format.ts";
import { componentsOf, isMapping, propertiesIn } from "./parts.ts";

/** A script of a topology beside those of its checks, and where it stands in the spec. */
export interface TopologyScript {
  language: ScriptLanguage;
  text: string;
  /** As mistakes name it. */
  name: string;
  path: readonly (string | number)[];
}

type Path = TopologyScript["path"];

/** The first that holds something counts. Source: spec formats, section 4.1. */
const precedence = [
  ["javascript", "javascript"],
  ["template", "gotemplate"],
  ["expr", "cel"],
  ["jsonPath", "jsonpath"],
] as const;

/** The script of an `id`, a `summary` or a `display`; undefined when there is none. */
export function readTemplate(
  value: unknown,
): { language: ScriptLanguage; text: string; key: string } | undefined {
  if (!isMapping(value)) return undefined;
  for (const [key, language] of precedence) {
    const text = value[key];
    if (typeof text === "string" && text.trim() !== "") return { language, text, key };
  }
  return undefined;
}

/** An expression over how things are: a Go template where it holds one, and CEL otherwise. */
export const languageOfExpression = (text: string): "gotemplate" | "cel" =>
  text.includes("{{") ? "gotemplate" : "cel";

const templateAt = (holder: WrittenSpec, key: string, path: Path): TopologyScript[] => {
  const found = readTemplate(holder[key]);
  return found
    ? [
        {
          language: found.language,
          text: found.text,
          name: key,
          path: [...path, key, found.key],
        },
      ]
    : [];
};

const expressionsOf = (holder: WrittenSpec, path: Path): TopologyScript[] =>
  ["statusExpr", "healthExpr"].flatMap((key): TopologyScript[] => {
    const text = holder[key];
    return typeof text === "string" && text.trim() !== ""
      ? [{ language: languageOfExpression(text), text, name: key, path: [...path, key] }]
      : [];
  });

/** Everything in a topology, as it was written, that is evaluated beside the scripts of its checks. */
export const topologyScripts = (spec: WrittenSpec): TopologyScript[] => [
  ...templateAt(spec, "id", []),
  ...expressionsOf(spec, []),
  ...componentsOf(spec).flatMap(({ component, path }) => [
    ...templateAt(component, "id", path),
    ...expressionsOf(component, path),
  ]),
  ...propertiesIn(spec).flatMap(({ value, path }) => [
    ...templateAt(value, "summary", path),
    ...(isMapping(value.configLookup)
      ? templateAt(value.configLookup, "display", [...path, "configLookup"])
      : []),
  ]),
];
