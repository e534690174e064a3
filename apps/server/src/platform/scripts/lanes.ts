import {
  createEvaluator,
  type Evaluation,
  type Evaluator,
  type Result,
  ScriptError,
} from "@mainstay/scripting";

/*
 * Scripts run one after the other, so one that takes its whole time every second would hold up all others. What has used
 * up its time or memory runs in a thread of its own from then on, with others like it, until it has ended well again;
 * where too many wait there, those that come are not run. Those that ask stand still until they are answered: they have a
 * thread of their own, too.
 */

const MOST_WAITING = 20;
const MOST_KNOWN = 10_000;

/** How an evaluator says that a script was ended. */
const offence =
  /^(takes longer than|takes too many steps|needs more|ended its thread|is nested too)/;

export function createLanes(make: () => Evaluator = () => createEvaluator()): Evaluator {
  const quick = make();
  let slow: Evaluator | undefined;
  let asking: Evaluator | undefined;
  let waiting = 0;
  /** In the order in which they offended. */
  const offenders = new Set<string>();
  let isClosed = false;

  async function evaluateSlowly(evaluation: Evaluation): Promise<Result> {
    const { language, script } = evaluation;
    if (waiting >= MOST_WAITING)
      throw new ScriptError(
        "used up its time before, and others that did wait for theirs: it was not run",
        { language, script },
      );
    waiting += 1;
    try {
      slow ??= make();
      return await slow.evaluate(evaluation);
    } finally {
      waiting -= 1;
    }
  }

  return {
    async evaluate(evaluation) {
      const key = `${evaluation.language} ${evaluation.script}`;
      const isKnown = offenders.has(key);
      try {
        const result = await (isKnown && !isClosed
          ? evaluateSlowly(evaluation)
          : evaluation.asks && !isClosed
            ? (asking ??= make()).evaluate(evaluation)
            : quick.evaluate(evaluation));
        if (isKnown) offenders.delete(key);
        return result;
      } catch (error) {
        if (error instanceof ScriptError && offence.test(error.message)) {
          offenders.add(key);
          const [oldest] = offenders;
          if (offenders.size > MOST_KNOWN) offenders.delete(oldest!);
        }
        throw error;
      }
    },
    check: (script) => quick.check(script),
    async close() {
      isClosed = true;
      await Promise.all([quick.close(), slow?.close(), asking?.close()]);
    },
  };
}
