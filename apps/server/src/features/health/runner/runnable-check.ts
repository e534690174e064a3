import { type CanaryCheck, longestDefaultTimeoutMs } from "@mainstay/contract";
import { type CheckInput, type CheckOutcome, findCheckType } from "../check-types/index.ts";

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
  run(input: Omit<CheckInput<unknown>, "spec">): Promise<CheckOutcome>;
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

export function runnableCheck(check: CanaryCheck, intervalMs: number | undefined): RunnableCheck {
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
    run: (input) => type.run({ ...input, spec }),
  };
}
