import { namesSecret } from "@mainstay/contract";
import type { Exchange } from "#platform/outbound/http/exchange.ts";
import type { PhaseClock } from "#platform/outbound/http/phases.ts";
import type { CheckOutcome } from "../check-type.ts";

const longestReason = 200;

/** What is kept of how an answer began; some headers hand out credentials, as cookies do. */
export const keptBegin = ({ code, reason, headers }: Exchange) => ({
  code,
  ...(reason && { reason: reason.slice(0, longestReason) }),
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, namesSecret(name) ? "[hidden]" : value]),
  ),
});

/** A run without an answer tells at least how far it came. */
export function withPhases(outcome: CheckOutcome, phases: PhaseClock): CheckOutcome {
  const timings = phases.read();
  if (outcome.details || Object.keys(timings).length === 0) return outcome;
  return { ...outcome, details: { timings, endedIn: phases.current() } };
}
