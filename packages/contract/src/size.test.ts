import fc from "fast-check";
import { expect, test } from "vitest";
import { formatSize, isSize, parseSize } from "./size.ts";

test.each([
  ["25b", 25],
  ["10kb", 10_240],
  ["10KB", 10_240],
  ["10 mb", 10_485_760],
  ["1gb", 1_073_741_824],
  ["1Gi", 1_073_741_824],
  ["2tb", 2_199_023_255_552],
  ["512", 512],
])("%s", (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each(["", "mb", "1.5mb", "-1b", "10 miles", "1e3", "99999999999tb"])("refuses %j", (text) => {
  expect(() => parseSize(text)).toThrow("is not a size");
  expect(isSize(text)).toBe(false);
});

test.each([
  [0, "0b"],
  [1023, "1023b"],
  [1536, "1.5kb"],
  [1_073_741_824, "1gb"],
])("writes %d", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test("whole units are read back", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1023 }),
      fc.constantFrom(0, 1, 2, 3, 4),
      (count, step) => {
        const bytes = count * 1024 ** step;
        expect(parseSize(formatSize(bytes))).toBe(bytes);
      },
    ),
  );
});
