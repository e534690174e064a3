import type { PlacedScript } from "@mainstay/contract";
import {
  type Context,
  type Evaluator,
  type Mapping,
  type Result,
  ScriptError,
} from "@mainstay/scripting";

/** What a script did wrong, as results say it: `test: cel:1:5: undeclared reference to 'cod'`. */
export class ScriptMistake extends Error {
  override readonly name = "ScriptMistake";
  /** It says nothing of what it was given: it does not compile, or it was over its limits. */
  readonly saysNothing: boolean;

  constructor(message: string, options: { cause?: unknown; saysNothing?: boolean } = {}) {
    super(message, options);
    this.saysNothing = options.saysNothing ?? false;
  }
}

type Named = Pick<PlacedScript, "name" | "language" | "text">;

export const LAST_RESULT = "last_result";
export const callsLastResult = (text: string): boolean => text.includes(LAST_RESULT);

/** @throws ScriptMistake */
export async function evaluateScript(
  evaluator: Evaluator,
  { name, language, text }: Named,
  context: Context,
  lastResult: Mapping = {},
): Promise<Result> {
  try {
    return await evaluator.evaluate({
      language,
      script: text,
      context,
      ...(callsLastResult(text) && { answers: { [LAST_RESULT]: lastResult } }),
    });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const saysNothing = error.isLimit || !(await compiles(evaluator, { name, language, text }));
    throw mistakeOf(name, error, saysNothing);
  }
}

async function compiles(evaluator: Evaluator, { language, text }: Named): Promise<boolean> {
  const functions = callsLastResult(text) ? { answers: { [LAST_RESULT]: {} } } : {};
  return evaluator.check({ language, script: text, ...functions }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ScriptError) return false;
      throw error;
    },
  );
}

export function mistakeOf(name: string, error: ScriptError, saysNothing = false): ScriptMistake {
  const place = [error.language, error.line, error.column].filter((part) => part !== undefined);
  return new ScriptMistake(`${name}: ${place.join(":")}: ${error.message}`, {
    cause: error,
    saysNothing,
  });
}
