import { createHash } from "node:crypto";
import { nextRun, parseSchedule, type Schedule } from "@mainstay/contract";

/** The channel on which sleeping workers hear that something may be due sooner than they think. */
export const SCHEDULES_CHANGED = "schedules_changed";

/** What the slots of a row follow from. */
export interface SlotRule {
  kind: string;
  key: string;
  schedule: string;
  timeZone: string | null;
}

const parsed = new Map<string, Schedule>();
const PARSED_KEPT = 10_000;

function scheduleOf({ schedule, timeZone }: SlotRule): Schedule {
  const key = `${timeZone ?? ""} ${schedule}`;
  const known = parsed.get(key);
  if (known) return known;
  const fresh = parseSchedule(schedule, timeZone ?? undefined);
  if (parsed.size >= PARSED_KEPT) parsed.clear();
  parsed.set(key, fresh);
  return fresh;
}

/**
 * The first slot of a row after a moment. The slots of `@every` are anchored at a point that follows from the row's
 * name: they never drift, every server computes the same ones, and a thousand rows of one interval spread over it
 * instead of coming due together. Throws what is wrong with the schedule.
 */
export function nextSlot(rule: SlotRule, after: Date): Date | undefined {
  const schedule = scheduleOf(rule);
  if (schedule.kind !== "every") return nextRun(schedule, after);
  return nextRun(schedule, after, new Date(anchor(rule) % schedule.everyMs));
}

const anchors = new Map<string, number>();
const ANCHORS_KEPT = 50_000;

function anchor({ kind, key }: SlotRule): number {
  const name = `${kind} ${key}`;
  const known = anchors.get(name);
  if (known !== undefined) return known;
  const fresh = createHash("sha1").update(name).digest().readUIntBE(0, 6);
  if (anchors.size >= ANCHORS_KEPT) anchors.clear();
  anchors.set(name, fresh);
  return fresh;
}
