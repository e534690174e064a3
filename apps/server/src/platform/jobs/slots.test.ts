import { describe, expect, test } from "vitest";
import { nextSlot } from "./slots.ts";

describe("slots", () => {
  const rule = (schedule: string, timeZone: string | null = null) => ({
    kind: "k",
    key: "a",
    schedule,
    timeZone,
  });

  test("of an interval do not drift, whatever runs when", () => {
    const every = rule("@every 10s");
    const first = nextSlot(every, new Date("2026-01-01T00:00:03.456Z")) as Date;
    for (let n = 1; n < 100; n++) {
      const late = new Date(first.getTime() + (n - 1) * 10_000 + ((n * 97) % 9_999));
      expect(nextSlot(every, late)).toEqual(new Date(first.getTime() + n * 10_000));
    }
  });

  test("of a thousand rows with one interval spread over it", () => {
    const after = new Date("2026-01-01T00:00:00Z");
    const tenths = new Set<number>();
    for (let n = 0; n < 1_000; n++) {
      const slot = nextSlot({ ...rule("@every 10s"), key: `row ${n}` }, after) as Date;
      tenths.add(Math.floor((slot.getTime() - after.getTime()) / 1_000));
    }
    expect(tenths.size).toBeGreaterThanOrEqual(10);
  });

  test("of cron follow the time zone", () => {
    const after = new Date("2026-06-01T00:00:00Z");
    expect(nextSlot(rule("0 9 * * *", "Europe/Berlin"), after)).toEqual(
      new Date("2026-06-01T07:00:00Z"),
    );
    expect(nextSlot(rule("0 9 * * *"), after)).toEqual(new Date("2026-06-01T09:00:00Z"));
  });
});
