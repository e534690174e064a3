import fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "./iso-time.ts";

test("writes what Date writes", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.nat(5_000_000_000_000),
      (any, near) => {
        expect(isoTime(any)).toBe(new Date(any).toISOString());
        expect(isoTime(near)).toBe(new Date(near).toISOString());
      },
    ),
  );
});
