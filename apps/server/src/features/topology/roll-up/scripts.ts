import { type Context, type Evaluator, ScriptError } from "@mainstay/scripting";
import { evaluateScript, ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import { type Evaluate, ScriptFault } from "./judge-components.ts";

const languageOf = (text: string) => (text.includes("{{") ? "gotemplate" : "cel");

/**
 * Evaluates the scripts of components. One that used up its time is not tried again in the same pass: it would do the same
 * for each component that has it. What it gives for equal counts it gives once, unless it sees the component itself.
 * @param self how a component looks to its health's script, by its id
 */
export function scriptsOf(evaluator: Evaluator, self: ReadonlyMap<string, Context>): Evaluate {
  const endless = new Map<string, string>();
  const given = new Map<string, string>();
  return async ({ name, text }, { summary }, { id, name: component }) => {
    const culprit = endless.get(text);
    if (culprit !== undefined)
      throw new ScriptFault(
        `${name}: it was not tried, because it used up its time for ${culprit}.`,
      );
    const context: Context =
      name === "healthExpr"
        ? { summary: { ...summary }, self: { ...self.get(id) } }
        : { summary: { ...summary } };
    const key = name === "statusExpr" ? `${text}\n${JSON.stringify(summary)}` : undefined;
    const known = key === undefined ? undefined : given.get(key);
    if (known !== undefined) return known;
    try {
      const result = await evaluateScript(
        evaluator,
        { name, text, language: languageOf(text) },
        context,
      );
      if (key !== undefined) given.set(key, result.text);
      return result.text;
    } catch (error) {
      if (!(error instanceof ScriptMistake)) throw error;
      if (error.cause instanceof ScriptError && error.cause.isLimit) endless.set(text, component);
      throw new ScriptFault(error.message, { cause: error });
    }
  };
}
