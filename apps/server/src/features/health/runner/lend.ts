import { canarySpec, checksOf } from "@mainstay/contract";
import type { Context } from "@mainstay/scripting";
import type { Lent, LentResult } from "../check-types/check-type.ts";
import { evaluateOfCheck } from "../scripts/evaluate.ts";
import { runCheck } from "./run-check.ts";
import type { CheckPlace, runnableCheck, RunnableParts } from "./runnable-check.ts";

/** Checks that one check may hold. */
const mostChecks = 50;
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
      const read = canarySpec.safeParse(spec);
      if (!read.success) {
        const [issue] = read.error.issues;
        return [refusal(issue?.path.join(".") ?? "checks", issue?.message ?? "cannot be read")];
      }
      const checks = checksOf({
        namespace,
        labels: {},
        annotations: {},
        spec: read.data,
        source: spec,
      });
      if (checks.length > mostChecks)
        return [refusal("checks", `There are ${checks.length}, at most ${mostChecks} are run.`)];
      const results: LentResult[] = [];
      for (const check of checks) {
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
