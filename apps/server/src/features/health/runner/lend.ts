import type { Context } from "@mainstay/scripting";
import type { Lent, LentResult } from "../check-types/check-type.ts";
import { evaluateOfCheck } from "../scripts/evaluate.ts";
import { readChecks } from "./read-checks.ts";
import { runCheck } from "./run-check.ts";
import type { CheckPlace, runnableCheck, RunnableParts } from "./runnable-check.ts";

/** Types that hold checks themselves: not within one another. */
const holders = new Set(["kubernetesResource"]);

interface Lender {
  parts: RunnableParts;
  place: CheckPlace;
  namespace: string;
  prepare: typeof runnableCheck;
}

const refusal = (name: string, error: string): LentResult => ({
  name,
  type: "",
  pass: false,
  invalid: true,
  error,
  durationMs: 0,
});

/** What the runner does for a check whose type holds other checks, or conditions of its own. */
export function lend({ parts, place, namespace, prepare }: Lender): Lent {
  return {
    async evaluate(name, expr, context) {
      const script = { name, language: "cel" as const, text: expr };
      return (await evaluateOfCheck(parts.evaluator, script, context)).text.trim();
    },
    async runChecks(spec, context: Context, { signal, connector }) {
      const read = readChecks(spec, namespace);
      if ("error" in read) return [refusal(read.name, read.error)];
      const results: LentResult[] = [];
      for (const check of read.checks) {
        const why = holders.has(check.type)
          ? `A check of type ${check.type} cannot stand within another.`
          : check.held;
        if (why !== undefined) {
          results.push({ ...refusal(check.name, why), type: check.type });
          continue;
        }
        const runnable = prepare(check, { canary: place.canary, intervalMs: undefined }, parts);
        const { pass, invalid, untried, message, error, durationMs } = await runCheck({
          check: runnable,
          connector,
          stop: signal,
          context: { given: context },
        });
        results.push({
          name: check.name,
          type: check.type,
          pass,
          durationMs,
          ...(invalid && { invalid }),
          ...(untried && { untried }),
          ...(message !== undefined && { message }),
          ...(error !== undefined && { error }),
        });
      }
      return results;
    },
  };
}
