import { expect, test } from "vitest";
import { nextTimes, scheduleInWords, scheduleOptions } from "./schedule-words.ts";

test.each([
  ["@every 30s", "Every 30 seconds"],
  ["@every 1m", "Every minute"],
  ["@every 1h30m", "Every 1 hour 30 minutes"],
  ["@hourly", "Every hour, on the hour"],
  ["*/5 * * * *", "Every 5 minutes"],
  ["7 * * * *", "Every hour, 7 past"],
  ["30 9 * * 1-5", "Monday to Friday at 09:30"],
  ["0 8 * * 7", "Every Sunday at 08:00"],
  ["0 0 15 * *", "On day 15 of every month at 00:00"],
  ["CRON_TZ=Europe/Berlin 5 4 * * *", "Every day at 04:05"],
  ["0 9 1-7 * 1", undefined],
  ["*/5 9-17 * * *", undefined],
  ["every now and then", undefined],
])("%s is read as %s", (text, words) => expect(scheduleInWords(text)).toBe(words));

test("every schedule that is offered has words", () =>
  expect(scheduleOptions.filter((option) => scheduleInWords(option) === undefined)).toEqual([]));

test("the next three times, in the time zone of the document; none of what is no schedule", () => {
  const now = new Date("2026-03-01T00:00:30Z");
  const of = (text: string, zone?: string) =>
    nextTimes(text, zone, now).map((time) => time.toISOString().slice(11, 16));
  expect(of("@every 30m")).toEqual(["00:30", "01:00", "01:30"]);
  expect(of("0 9 * * *", "Europe/Berlin")).toEqual(["08:00", "08:00", "08:00"]);
  expect(of("@never")).toEqual([]);
  expect(of("nonsense")).toEqual([]);
});
