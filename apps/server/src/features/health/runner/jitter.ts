import { createHash } from "node:crypto";

const LONGEST_MS = 1_000;

/**
 * How long after its slot a canary starts: up to a tenth of its interval and a second at most, always the same for the
 * same one. Canaries of one cron expression come due together and would all start at once.
 */
export function jitterMs(canaryId: string, intervalMs: number): number {
  const share = createHash("sha1").update(canaryId).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor(share * Math.min(Math.max(0, intervalMs) / 10, LONGEST_MS));
}
