import { readStored, writeStored } from "./browser-storage.ts";

/** Document 1, section 4. */
export const refreshRates: readonly { ms: number; label: string }[] = [
  { ms: 0, label: "None" },
  { ms: 15_000, label: "15s" },
  { ms: 30_000, label: "30s" },
  { ms: 60_000, label: "1 min" },
  { ms: 120_000, label: "2 min" },
  { ms: 180_000, label: "3 min" },
  { ms: 300_000, label: "5 min" },
  { ms: 600_000, label: "10 min" },
  { ms: 900_000, label: "15 min" },
];

const limits: readonly { rates: readonly number[]; belowMinutes: number }[] = [
  { rates: [15_000, 30_000], belowMinutes: 60 },
  { rates: [120_000, 180_000], belowMinutes: 180 },
];

/** Whether a rate may be chosen for a range of this length. */
export function isRateAllowed(rateMs: number, rangeMinutes: number): boolean {
  return limits.every(
    ({ rates, belowMinutes }) => !rates.includes(rateMs) || rangeMinutes < belowMinutes,
  );
}

/** The rate in force: what was chosen, or the next slower one that the range allows. */
export function effectiveRate(rateMs: number, rangeMinutes: number): number {
  if (rateMs === 0) return 0;
  const allowed = refreshRates.find(
    ({ ms }) => ms >= rateMs && ms > 0 && isRateAllowed(ms, rangeMinutes),
  );
  return allowed?.ms ?? 0;
}

const key = "mainstay.refresh-rate";
const defaultMs = 60_000;

export function storedRate(): number {
  const stored = readStored(key);
  const rate = refreshRates.find(({ ms }) => stored !== null && String(ms) === stored);
  return rate?.ms ?? defaultMs;
}

export const storeRate = (rateMs: number): boolean => writeStored(key, String(rateMs));
