import { expect, test } from "vitest";
import type { CheckNow } from "@mainstay/contract/health.ts";
import { sentenceOf } from "./check-sentence.ts";

const now = Date.UTC(2026, 0, 1, 3);
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
const failing = {
  status: "unhealthy",
  passed: false,
  since: ago(18),
  last_runtime: ago(1),
  message: "answered 500, wanted 200\nand more",
} as const;
const passing = { ...failing, status: "healthy", passed: true, message: "200 in 12 ms" } as const;

test.each<[string, CheckNow, string]>([
  ["unhealthy", failing, "Failing for 18 min: answered 500, wanted 200"],
  ["healthy", passing, "Passing for 18 min: 200 in 12 ms"],
  ["unknown", { ...failing, held: "no such type" }, "Held, not run: no such type"],
  [
    "unknown",
    { ...failing, status: "unknown", paused: true, result_due: ago(2) },
    "Paused: it failed last: answered 500, wanted 200",
  ],
  ["unknown", { status: "unknown", paused: true }, "Paused"],
  ["unknown", { status: "unknown", next_runtime: ago(-1) }, "Never run"],
  ["unknown", { status: "unknown" }, "Never run: nothing says when it would"],
  [
    "unknown",
    { ...failing, last_runtime: ago(12), result_due: ago(2) },
    "Stale, no result for 12 min: it failed last: answered 500, wanted 200",
  ],
  [
    "unknown",
    { ...passing, last_runtime: ago(12), result_due: ago(2) },
    "Stale, no result for 12 min: it passed last",
  ],
  [
    "unknown",
    { ...failing, status: "unknown", passed: null, message: "ping is not there" },
    "Unknown for 18 min, it could not be tried: ping is not there",
  ],
  [
    "warning",
    { ...failing, status: "healthy", streak: { passed: false, runs: 2, needed: 3 } },
    "Failing 2 of 3, counts as passing until then: answered 500, wanted 200",
  ],
  [
    "warning",
    { ...passing, status: "unhealthy", streak: { passed: true, runs: 1, needed: 2 } },
    "Passing 1 of 2, counts as failing until then",
  ],
  [
    "unknown",
    { ...failing, status: "unknown", streak: { passed: false, runs: 1, needed: 3 } },
    "Failing 1 of 3: answered 500, wanted 200",
  ],
])("%s: %j", (tone, known, expected) => {
  const found = sentenceOf(known, now);
  expect([found.tone, [found.head, found.why].filter(Boolean).join(": ")]).toEqual([
    tone,
    expected,
  ]);
});
