/** How far the server's clock is ahead of this machine's: what is old is judged by the server's. */
let offsetMs = 0;

/** The header tells whole seconds, and an answer takes its time: a smaller difference is none. */
const toleranceMs = 1_500;
const halfSecondMs = 500;

/** Told by every answer: its `Date` header, at the moment it came. */
export function noteServerTime(date: string | null, receivedAt: number): void {
  const told = Date.parse(date ?? "");
  if (Number.isNaN(told)) return;
  const found = told + halfSecondMs - receivedAt;
  if (Math.abs(found - offsetMs) > toleranceMs)
    offsetMs = Math.abs(found) > toleranceMs ? found : 0;
}

/** A moment of this machine's clock as the server's clock has it. */
export const toServerTime = (moment: number): number => moment + offsetMs;
