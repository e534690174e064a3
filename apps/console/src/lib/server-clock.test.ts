import { afterEach, expect, test } from "vitest";
import { noteServerTime, toServerTime } from "./server-clock.ts";

const now = Date.UTC(2026, 0, 1, 12);
const header = (moment: number) => new Date(moment).toUTCString();
afterEach(() => noteServerTime(header(now), now));

test.each([
  ["clocks that agree", 0, 0],
  ["less than the header can tell", 1_000, 0],
  ["this machine is an hour behind", 3_600_000, 3_600_500],
  ["this machine is a day ahead", -86_400_000, -86_399_500],
])("%s", (_, ahead, expected) => {
  noteServerTime(header(now + ahead), now);
  expect(toServerTime(now) - now).toBe(expected);
});

test("an answer that says no time changes nothing, and a small difference does not make it jump", () => {
  noteServerTime(header(now + 60_000), now);
  noteServerTime(null, now);
  noteServerTime("yesterday", now);
  noteServerTime(header(now + 61_000), now);
  expect(toServerTime(now)).toBe(now + 60_500);
});
