import { expect, test } from "vitest";
import { serverTime } from "./server-time.ts";

test.each([
  ["2026-01-02T03:04:05Z", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02T03:04:05", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02 03:04:05.5", Date.UTC(2026, 0, 2, 3, 4, 5, 500)],
  ["2026-01-02T03:04:05+02:00", Date.UTC(2026, 0, 2, 1, 4, 5)],
  ["", Number.NaN],
  [null, Number.NaN],
])("%s", (text, moment) => {
  expect(serverTime(text)).toBe(moment);
});
