import { type CanaryCheck, longestDefaultTimeoutMs } from "@mainstay/contract";
import { createHider, type Hider } from "#platform/sealing/hide-secrets.ts";
import { failed } from "../check-types/check-type.ts";
import {
  type Calls,
  type CheckInput,
  type CheckOutcome,
  findCheckType,
} from "../check-types/index.ts";
import { checkSecrets, unopenedPlaces } from "./check-secrets.ts";

const SHORTEST_TIMEOUT_MS = 1_000;

/** A check that is ready to be run: its type found, its spec read, its limits settled. */
export interface RunnableCheck {
  type: string;
  name: string;
  spec: unknown;
  /** It needs the machine's network. */
  network: boolean;
  timeoutMs: number;
  severity?: string;
  failuresNeeded: number;
  successesNeeded: number;
  run(input: Omit<CheckInput<unknown>, "spec" | "namespace">): Promise<CheckOutcome>;
  /** In place of `run`, when it waits to be called. */
  judge?(calls: Calls): CheckOutcome;
}

/** `intervalMs` is the time between runs, which a check may not exceed unless it says so itself. */
export const timeoutOf = (
  check: Pick<CanaryCheck, "timeoutMs">,
  intervalMs: number | undefined,
): number =>
  Math.max(
    SHORTEST_TIMEOUT_MS,
    check.timeoutMs ?? Math.min(intervalMs ?? longestDefaultTimeoutMs, longestDefaultTimeoutMs),
  );

/** `unopened` says why secrets of the check could not be opened; then it fails with that. */
export function runnableCheck(
  check: CanaryCheck,
  intervalMs: number | undefined,
  unopened?: string,
): RunnableCheck {
  const type = findCheckType(check.type);
  if (!type) throw new Error(`Checks of type ${check.type} cannot be run.`);
  const spec = type.spec.parse(check.spec);
  return {
    type: type.type,
    name: check.name,
    spec,
    network: type.network,
    timeoutMs: timeoutOf(check, intervalMs),
    severity: check.severity,
    failuresNeeded: check.consecutiveFailures,
    successesNeeded: check.consecutiveSuccesses,
    run: hidingRun(
      check,
      (input) => type.run({ ...input, spec, namespace: check.namespace }),
      unopened,
    ),
    ...(type.awaits && { judge: (calls: Calls) => type.awaits!.judge(spec, calls) }),
  };
}

type Run = RunnableCheck["run"];

/** Runs a check so that none of its secrets shows in what it reports, whatever its type; without them it is not run. */
export function hidingRun(
  check: Pick<CanaryCheck, "type" | "spec">,
  run: Run,
  unopened?: string,
): Run {
  const [place] = unopenedPlaces(check);
  if (place !== undefined) {
    const why = unopened ?? `The value of ${place} is a placeholder: write the value itself.`;
    return async () => failed(why, { invalid: true });
  }
  const hider = createHider(checkSecrets(check));
  if (!hider) return run;
  return async (input) => {
    const outcome = await run(input).catch((error: unknown) => {
      throw new Error(hider.message(error instanceof Error ? error.message : String(error)));
    });
    return hideSecrets(outcome, hider);
  };
}

function hideSecrets(outcome: CheckOutcome, hider: Hider): CheckOutcome {
  const { message, error, details } = outcome;
  return {
    ...outcome,
    ...(message !== undefined && { message: hider.message(message) }),
    ...(error !== undefined && { error: hider.message(error) }),
    ...(details !== undefined && { details: hider.value(details) as typeof details }),
  };
}
