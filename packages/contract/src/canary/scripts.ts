/** The languages in which checks have scripts, as the evaluator calls them. */
export type ScriptLanguage = "javascript" | "gotemplate" | "cel" | "jsonpath";

export interface Script {
  language: ScriptLanguage;
  text: string;
  /** The key that it stands under. */
  key: string;
}

/** A script of a check, and where in the check it stands. */
export interface PlacedScript extends Script {
  /** As mistakes name it: `test`, `metrics.errors`. */
  name: string;
  path: readonly (string | number)[];
}

/** The first that holds something counts. Source: spec formats, section 4.1. */
const precedence = [
  ["javascript", "javascript"],
  ["template", "gotemplate"],
  ["expr", "cel"],
  ["jsonPath", "jsonpath"],
  ["jsonpath", "jsonpath"],
] as const;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string =>
  typeof value === "string" && value.trim() !== "" ? value : "";

/** The script of `test`, `display` or `transform`; undefined when there is none. */
export function readScript(value: unknown): Script | undefined {
  if (!isMapping(value)) return undefined;
  for (const [key, language] of precedence) {
    const text = textOf(value[key]);
    if (text !== "") return { language, text, key };
  }
  return undefined;
}

/** Everything in a check, as it was written, that is evaluated with its result. */
export function scriptsOfCheck(check: Readonly<Record<string, unknown>>): PlacedScript[] {
  const own = ["transform", "display", "test"].flatMap((name): PlacedScript[] => {
    const script = readScript(check[name]);
    return script ? [{ ...script, name, path: [name, script.key] }] : [];
  });
  return [...own, ...metricScripts(check.metrics)];
}

function metricScripts(metrics: unknown): PlacedScript[] {
  return (Array.isArray(metrics) ? metrics : []).flatMap((metric: unknown, index) => {
    if (!isMapping(metric)) return [];
    const name = `metrics.${textOf(metric.name) || index}`;
    const value = textOf(metric.value);
    const labels: unknown[] = Array.isArray(metric.labels) ? metric.labels : [];
    const cel = (key: string, text: string) => ({ language: "cel", text, key }) as const;
    return [
      ...(value === ""
        ? []
        : [{ ...cel("value", value), name, path: ["metrics", index, "value"] }]),
      ...labels.flatMap((label, at): PlacedScript[] => {
        const text = isMapping(label) ? textOf(label.valueExpr) : "";
        if (text === "") return [];
        const path = ["metrics", index, "labels", at, "valueExpr"];
        return [{ ...cel("valueExpr", text), name: `${name} label`, path }];
      }),
    ];
  });
}
