import { expect, test } from "vitest";
import { exactQuantity, quantity, quantityOf } from "./quantity.ts";

test.each([
  [0, "bytes", undefined, "0 B"],
  [1536, "bytes", undefined, "1.5 KiB"],
  [6.4e9, "bytes", undefined, "5.96 GiB"],
  [1250, "millicores", undefined, "1.25 cores"],
  [40, "millicores", undefined, "0.04 cores"],
  [1e18, "bytes", undefined, "888 PiB"],
  [71.5, "percent", undefined, "71.5%"],
  [1500, "milliseconds", undefined, "1.5s"],
  [9.5, undefined, "currency", "$9.50"],
  [950.4, undefined, "currency", "$950"],
  [12_345, "$", undefined, "$12.3k"],
  [-12_345, undefined, "currency", "-$12.3k"],
  [3, "pods", undefined, "3 pods"],
])("%d of the unit %s and type %s is %s", (value, unit, type, text) => {
  expect(quantity(value, unit, type)).toBe(text);
});

test.each([
  [1536, 6.4e9, "bytes", "1.5 KiB of 5.96 GiB"],
  [3, 10, "pods", "3 of 10 pods"],
  [3, 10, undefined, "3 of 10"],
  [250, 4_000, "millicores", "0.25 of 4 cores"],
])("%d of at most %d of the unit %s is %s", (value, max, unit, text) => {
  expect(quantityOf(value, max, unit)).toBe(text);
});

test.each([
  [1_900_000_000, "bytes", undefined, "1,900,000,000 bytes"],
  [1250, "millicores", undefined, "1,250 millicores"],
  [1500, "ms", undefined, "1,500 milliseconds"],
  [12_345.678, undefined, "currency", "$12,345.678"],
  [71.567, "percent", undefined, "71.567%"],
  [2.34567, "pods", undefined, "2.34567 pods"],
  [3, "pods", undefined, undefined],
])("to the last digit, %d of the unit %s and type %s is %s", (value, unit, type, text) => {
  expect(exactQuantity(value, unit, type)).toBe(text);
});
