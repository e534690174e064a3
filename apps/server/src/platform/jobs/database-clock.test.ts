import { beforeEach, expect, test } from "vitest";
import { createDatabaseClock, type DatabaseClock } from "./database-clock.ts";

/** What the database's clock is ahead of the monotonic one. */
const ahead = 1_700_000_000_000;
let monotonic: number;
let clock: DatabaseClock;

beforeEach(() => {
  monotonic = 5_000;
  clock = createDatabaseClock(() => monotonic);
});

/** A look at a database that reads its clock after `there` and whose answer comes after `back`, in milliseconds. */
function look(there: number, back: number, set = ahead) {
  const asked = monotonic;
  const said = new Date(Math.floor(asked + there + set));
  monotonic = asked + there + back;
  return clock.saw(said, asked);
}
const error = (set = ahead) => Math.abs(clock.nowMs() - monotonic - set);

test("an answer that took long moves nothing once a quick one has come", () => {
  look(0.5, 0.5);
  expect(error()).toBeLessThanOrEqual(1);
  for (const [there, back] of [
    [0, 80],
    [80, 0],
    [3, 40],
  ] as const) {
    monotonic += 200;
    expect(look(there, back)).toBe(0);
    expect(error()).toBeLessThanOrEqual(1.5);
  }
});

test("before a quick one it is wrong by at most half of what the answer took", () => {
  look(0, 80);
  expect(error()).toBeLessThanOrEqual(41);
  look(0, 2);
  expect(error()).toBeLessThanOrEqual(2);
});

test.each([-3_600_000, 3_600_000])("a clock that is set by %s ms is followed at once", (by) => {
  expect(look(0.5, 0.5)).toBe(0);
  monotonic += 1_000;
  const step = look(1, 1, ahead + by);
  expect(Math.abs(step - by)).toBeLessThanOrEqual(5);
  // At least so far: what the answers took is not added to it.
  expect(Math.abs(step)).toBeLessThanOrEqual(Math.abs(by));
  expect(error(ahead + by)).toBeLessThanOrEqual(2);
});

test("clocks that part by little are followed", () => {
  for (let second = 0; second < 3_600; second += 1) {
    monotonic += 1_000;
    look(0.5, 0.5, ahead + second * 0.4);
  }
  expect(error(ahead + 3_599 * 0.4)).toBeLessThanOrEqual(2);
});

test("says nothing before the first look", () => {
  expect(() => clock.nowMs()).toThrow("has not said yet");
});
