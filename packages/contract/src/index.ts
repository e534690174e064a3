export * from "./permissions.ts";
export * from "./canary/index.ts";
export { formatDuration, isDuration, parseDuration } from "./duration.ts";
export { isTimeZone, nextRun, parseSchedule, type Schedule } from "./schedule.ts";
export { formatSize, isSize, parseSize } from "./size.ts";
export * from "./health.ts";
export * from "./latency-buckets.ts";
export type { Rows } from "./rows.ts";
