import { checkSpecs, formatDuration, type HeartbeatSpec, parseDuration } from "@mainstay/contract";
import { type Calls, checkType, type CheckOutcome, failed, passed } from "../check-type.ts";

/** The shortest time by which a beat may be late without the document saying so. */
const leastGraceMs = 1000;

/** When the check fails if no beat comes before. */
export function heartbeatDeadline(spec: HeartbeatSpec, { last, since }: Omit<Calls, "now">): Date {
  const everyMs = parseDuration(spec.every);
  const graceMs =
    spec.grace === undefined ? Math.max(leastGraceMs, everyMs / 10) : parseDuration(spec.grace);
  return new Date((last ?? since).getTime() + everyMs + graceMs);
}

/** Whether the beats came in time. A beat from the future (a clock that was set back) counts as just now. */
export function judgeHeartbeat(spec: HeartbeatSpec, calls: Calls): CheckOutcome {
  const { last, since, now } = calls;
  const silentMs = Math.max(0, now.getTime() - (last ?? since).getTime());
  const silent = formatDuration(Math.floor(silentMs / 1000) * 1000);
  const details = { lastBeat: last?.toISOString() ?? null };
  if (now > heartbeatDeadline(spec, calls)) {
    const what = last ? `the last beat was ${silent} ago` : `no beat has come in ${silent}`;
    return failed(`${what}, one every ${spec.every} is expected`, { details });
  }
  return passed(last ? `the last beat was ${silent} ago` : "waiting for the first beat", {
    details,
  });
}

export const heartbeat = checkType<HeartbeatSpec>({
  type: "heartbeat",
  spec: checkSpecs.heartbeat,
  network: false,
  endpoint: (spec) => `every ${spec.every}`,
  awaits: {
    token: (spec) => spec.token?.value || undefined,
    judge: judgeHeartbeat,
  },
  run: () =>
    Promise.resolve(
      failed(
        "a heartbeat is judged by the server that receives the beats; it cannot be run by itself",
        { invalid: true },
      ),
    ),
});
