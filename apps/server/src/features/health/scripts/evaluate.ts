import type { PlacedScript } from "@mainstay/contract";
import type { Context, Evaluator, Mapping, Result } from "@mainstay/scripting";
import { evaluateScript } from "#platform/scripts/evaluate-script.ts";

export const LAST_RESULT = "last_result";
export const callsLastResult = (text: string): boolean => text.includes(LAST_RESULT);

/** What functions of ours answer to a script; nothing where it calls none. */
export const answersTo = (text: string, lastResult: Mapping = {}) =>
  callsLastResult(text) ? { [LAST_RESULT]: lastResult } : undefined;

/** Evaluates a script of a check. @throws ScriptMistake */
export const evaluateOfCheck = (
  evaluator: Evaluator,
  script: Pick<PlacedScript, "name" | "language" | "text">,
  context: Context,
  lastResult?: Mapping,
): Promise<Result> =>
  evaluateScript(evaluator, { ...script, answers: answersTo(script.text, lastResult) }, context);
