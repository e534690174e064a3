const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Seconds first, for what was only being restarted; then minutes; then every hour until a day is over. */
const delaysMs = [
  2 * SECOND,
  5 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  ...Array.from({ length: 23 }, () => HOUR),
];

/** How long to wait after so many failed tries; undefined when it is given up. */
export const retryDelayMs = (failedTries: number): number | undefined => delaysMs[failedTries - 1];
