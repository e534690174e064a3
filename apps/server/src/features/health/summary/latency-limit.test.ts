import { expect, test } from "vitest";
import { latencyLimit, type LatencyLimits } from "./latency-limit.ts";

const none: LatencyLimits = {
  threshold: null,
  check: {},
  timeout: null,
  schedule: null,
  interval: null,
};

test.each<[string, Partial<LatencyLimits>, number]>([
  ["nothing is said", {}, 60_000],
  ["its threshold", { threshold: 750, timeout: "10s" }, 750],
  ["its own timeout", { check: { timeout: "5s" }, timeout: "10s" }, 5_000],
  ["its document's timeout", { timeout: "10s" }, 10_000],
  ["the time between runs", { schedule: "@every 20s" }, 20_000],
  ["an interval", { interval: 15 }, 15_000],
  ["a cron schedule says nothing of it", { schedule: "0 * * * *" }, 60_000],
  ["a threshold of 0 is none", { threshold: 0, timeout: "2s" }, 2_000],
])("%s", (_, parts, expected) => {
  expect(latencyLimit("http", { ...none, ...parts })).toBe(expected);
});
