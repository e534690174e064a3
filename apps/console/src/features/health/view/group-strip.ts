import { recentRuns } from "@mainstay/contract/health.ts";
import type { StripEntry } from "@mainstay/ui/status-strip/StatusStrip.tsx";
import type { HealthCheck } from "./group-checks.ts";

interface Slot {
  passed: number;
  failed: number;
  untried: number;
  worstMs: number;
}

/**
 * The last results of several checks as one strip: equal spans of time, each with its slowest run and whether any
 * failed. It begins where all that it counts is known: a check that runs often has left its earlier runs behind.
 */
export function groupStrip(members: readonly HealthCheck[]): (StripEntry | undefined)[] {
  let end = Number.NEGATIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  let known = Number.NEGATIVE_INFINITY;
  for (const { check } of members) {
    const [oldest, newest] = [check.recent[0], check.recent.at(-1)];
    if (!oldest || !newest) continue;
    end = Math.max(end, newest[0]);
    first = Math.min(first, oldest[0]);
    if (check.recent.length >= recentRuns) known = Math.max(known, oldest[0]);
  }
  if (end === Number.NEGATIVE_INFINITY) return [];
  const begin = Math.max(first, known);
  // As many as the check that ran most often has results in that time, so that each has a place of its own.
  const slots = members.reduce(
    (most, { check }) => Math.max(most, check.recent.filter(([time]) => time >= begin).length),
    1,
  );
  const span = Math.max(1, end - begin) / slots;
  const found: (Slot | undefined)[] = Array.from({ length: slots });
  for (const { check } of members) {
    for (const [time, duration, passed] of check.recent) {
      if (time < begin) continue;
      const at = Math.min(slots - 1, Math.floor((time - begin) / span));
      const slot = (found[at] ??= { passed: 0, failed: 0, untried: 0, worstMs: 0 });
      if (passed === 1) slot.passed += 1;
      else if (passed === 0) slot.failed += 1;
      else slot.untried += 1;
      slot.worstMs = Math.max(slot.worstMs, duration);
    }
  }
  return found.map((slot, at): StripEntry | undefined => {
    if (!slot) return undefined;
    const { passed, failed, untried, worstMs } = slot;
    const runs = passed + failed;
    const said = [
      ...(runs === 0 ? [] : [failed === 0 ? `${runs} passed` : `${failed} of ${runs} failed`]),
      ...(untried === 0 ? [] : [`${untried} could not be tried`]),
    ].join(", ");
    const outcome = failed > 0 ? 0 : passed > 0 ? 1 : 2;
    return [Math.round(begin + at * span), worstMs, outcome, said];
  });
}
