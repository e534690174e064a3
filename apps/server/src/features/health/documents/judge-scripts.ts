import { scriptsOfCheck, singleTypes, unsupportedCheckTypes } from "@mainstay/contract";
import { type Evaluator, ScriptError } from "@mainstay/scripting";
import { catalogEvaluator } from "#features/catalog/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { DocumentParts } from "#platform/documents/document-kind.ts";
import type { KeyedIssue } from "#platform/http/refuse-places.ts";
import { mistakeOf } from "#platform/scripts/evaluate-script.ts";
import { checkNeeds } from "../runner/written-check.ts";
import { LAST_RESULT } from "../scripts/evaluate.ts";

/** A document may hold a thousand checks; nobody reads more mistakes than these. */
const MOST_ISSUES = 100;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const unsupported: readonly string[] = unsupportedCheckTypes;

type Script = Parameters<Evaluator["check"]>[0];

interface Found {
  name: string;
  path: readonly (string | number)[];
  script: Script;
}

/** Scripts and templates of a canary that are none of their language. They are read and not run. */
export async function judgeCanaryScripts(
  ctx: Ctx,
  { spec, annotations }: Pick<DocumentParts, "annotations" | "spec">,
): Promise<KeyedIssue[]> {
  const isTemplated = annotations?.template !== "false";
  // What is only kept may call what this version does not know.
  const found = Object.entries(spec).flatMap(([type, written]) => {
    if (unsupported.includes(type)) return [];
    const isOne = singleTypes.includes(type) && isMapping(written);
    return (isOne ? [written] : Array.isArray(written) ? written : []).flatMap(
      (check: unknown, index) =>
        isMapping(check) ? scriptsOf(check, isOne ? [type] : [type, index], isTemplated) : [],
    );
  });
  if (found.length === 0) return [];
  const evaluator = ctx.service(catalogEvaluator);
  const issues = await Promise.all(
    found.map(async ({ name, path, script }): Promise<KeyedIssue[]> => {
      try {
        await evaluator.check(script);
        return [];
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        return [{ path: ["spec", ...path], message: mistakeOf(name, error).message }];
      }
    }),
  );
  return issues.flat().slice(0, MOST_ISSUES);
}

function scriptsOf(
  check: Record<string, unknown>,
  at: readonly (string | number)[],
  isTemplated: boolean,
): Found[] {
  const answers = { [LAST_RESULT]: {} };
  const scripts = scriptsOfCheck(check).map(({ name, language, text, path }) => ({
    name,
    path: [...at, ...path],
    script: { language, script: text, answers },
  }));
  const { templates = [] } = checkNeeds({ type: "", spec: check, isTemplated }) ?? {};
  return [
    ...scripts,
    ...templates.map(({ keys, text, isSpec }) => ({
      name: keys.join("."),
      path: [...at, ...keys],
      script: { language: "gotemplate", script: text, isSpec, answers } as const,
    })),
  ];
}
