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

export interface NamedScript extends Pick<PlacedScript, "name" | "language" | "text"> {
  /** What functions of ours answer, by their names. */
  answers?: Readonly<Record<string, Mapping>> | undefined;
}

/** @throws ScriptMistake */
export async function evaluateScript(
  evaluator: Evaluator,
  script: NamedScript,
  context: Context,
): Promise<Result> {
  const { name, language, text, answers } = script;
  try {
    return await evaluator.evaluate({
      language,
      script: text,
      context,
      ...(answers && { answers }),
    });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const saysNothing = error.isLimit || !(await compiles(evaluator, script));
    throw mistakeOf(name, error, saysNothing);
  }
}

async function compiles(
  evaluator: Evaluator,
  { language, text, answers }: NamedScript,
): Promise<boolean> {
  return evaluator.check({ language, script: text, ...(answers && { answers }) }).then(
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
