import { checkSpecs, formatDuration, type HeartbeatSpec, parseDuration } from "@mainstay/contract";
import { checkType, type CheckOutcome, failed, passed } from "../check-type.ts";

/** The shortest time by which a beat may be late without the document saying so. */
const leastGraceMs = 1000;

export interface BeatState {
  /** The last beat, if there was one. */
  lastBeat?: Date;
  /** Since when beats are expected: when the check was created. */
  since: Date;
  now: Date;
}

/** When the check fails if no beat comes before. */
export function heartbeatDeadline(
  spec: HeartbeatSpec,
  { lastBeat, since }: Omit<BeatState, "now">,
): Date {
  const everyMs = parseDuration(spec.every);
  const graceMs =
    spec.grace === undefined ? Math.max(leastGraceMs, everyMs / 10) : parseDuration(spec.grace);
  return new Date((lastBeat ?? since).getTime() + everyMs + graceMs);
}

/** Whether the beats came in time. A beat from the future (a clock that was set back) counts as just now. */
export function judgeHeartbeat(spec: HeartbeatSpec, state: BeatState): CheckOutcome {
  const { lastBeat, since, now } = state;
  const silentMs = Math.max(0, now.getTime() - (lastBeat ?? since).getTime());
  const silent = formatDuration(Math.floor(silentMs / 1000) * 1000);
  const details = { lastBeat: lastBeat?.toISOString() ?? null };
  if (now > heartbeatDeadline(spec, state)) {
    const what = lastBeat ? `the last beat was ${silent} ago` : `no beat has come in ${silent}`;
    return failed(`${what}, one every ${spec.every} is expected`, { details });
  }
  return passed(lastBeat ? `the last beat was ${silent} ago` : "waiting for the first beat", {
    details,
  });
}

export const heartbeat = checkType<HeartbeatSpec>({
  type: "heartbeat",
  spec: checkSpecs.heartbeat,
  network: false,
  endpoint: (spec) => `every ${spec.every}`,
  run: () =>
    Promise.resolve(
      failed(
        "a heartbeat is judged by the server that receives the beats; it cannot be run by itself",
        { invalid: true },
      ),
    ),
});
