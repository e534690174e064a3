import { languageOfExpression } from "@mainstay/contract";
import { type Context, type Evaluator, ScriptError } from "@mainstay/scripting";
import { evaluateScript, ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import { defineService } from "#platform/service.ts";
import { type Evaluate, ScriptFault } from "./judge-components.ts";

/** Scripts of one pass may take so long together: whoever writes components waits for it. */
export const longestScriptsMs = 30_000;
/** What used up its time is not tried for so long, or a few of them would take the time of all others in every pass. */
export const restMs = 10 * 60_000;
const mostEndless = 10_000;
/** Characters of what scripts were given and gave, in one pass. */
const mostRemembered = 8_000_000;

interface Endless {
  /** The component for which it used up its time. */
  culprit: string;
  until: number;
}

/** Scripts that used up their time, by their text, in the order in which they did. */
export class EndlessScripts {
  readonly #known = new Map<string, Endless>();

  add(text: string, culprit: string, now: number): void {
    this.#known.delete(text);
    this.#known.set(text, { culprit, until: now + restMs });
    if (this.#known.size > mostEndless) this.#known.delete(this.#known.keys().next().value!);
  }

  /** For which component it used up its time lately, if it did. */
  culpritOf(text: string, now: number): string | undefined {
    const found = this.#known.get(text);
    return found && found.until > now ? found.culprit : undefined;
  }
}

/** Those of this program's components: they are known from one pass to the next. */
export const endlessScripts = defineService(
  "endless scripts of components",
  () => new EndlessScripts(),
);

export interface ScriptsInput {
  evaluator: Evaluator;
  /** How a component looks to its health's script, by its id. */
  self: ReadonlyMap<string, Context>;
  endless: EndlessScripts;
  signal: AbortSignal;
  /** Milliseconds from any moment on. */
  now?: () => number;
}

/**
 * Evaluates the scripts of one pass. When they have taken `longestScriptsMs` together, those that come are not run; one that
 * used up its time by itself is left alone for a while, since it would do the same for each component that has it. What a
 * script gives for equal counts it gives once, unless it sees the component itself.
 */
export function scriptsOf({
  evaluator,
  self,
  endless,
  signal,
  now = () => performance.now(),
}: ScriptsInput): Evaluate {
  let takenMs = 0;
  const given = new Map<string, string>();
  let remembered = 0;
  return async ({ name, text }, { summary }, { id, name: component }) => {
    signal.throwIfAborted();
    const culprit = endless.culpritOf(text, now());
    if (culprit !== undefined)
      throw new ScriptFault(
        `${name}: it was not run, because it used up its time for ${culprit} within the last ${restMs / 60_000} minutes.`,
      );
    const context: Context =
      name === "healthExpr"
        ? { summary: { ...summary }, self: { ...self.get(id) } }
        : { summary: { ...summary } };
    const key = name === "statusExpr" ? `${text}\n${JSON.stringify(summary)}` : undefined;
    const known = key === undefined ? undefined : given.get(key);
    if (known !== undefined) return known;
    if (takenMs >= longestScriptsMs)
      throw new ScriptFault(
        `${name}: it was not run, because the scripts before it took all of the ${longestScriptsMs / 1000} s that those of all components may take.`,
      );
    const started = now();
    try {
      const result = await evaluateScript(
        evaluator,
        { name, text, language: languageOfExpression(text) },
        context,
      );
      if (key !== undefined && remembered + key.length + result.text.length <= mostRemembered) {
        remembered += key.length + result.text.length;
        given.set(key, result.text);
      }
      return result.text;
    } catch (error) {
      if (!(error instanceof ScriptMistake)) throw error;
      if (error.cause instanceof ScriptError && error.cause.isLimit)
        endless.add(text, component, now());
      throw new ScriptFault(error.message, { cause: error });
    } finally {
      takenMs += now() - started;
    }
  };
}
