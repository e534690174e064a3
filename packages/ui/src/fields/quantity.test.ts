import { expect, test } from "vitest";
import { numberText, requiredText } from "./check-field.ts";
import {
  checkCpu,
  checkMemory,
  formatCpu,
  formatMemory,
  parseCpu,
  parseMemory,
} from "./quantity.ts";

test.each([
  ["512Mi", { amount: "512", unit: "Mi" }, "512Mi"],
  ["1.5 Gi", { amount: "1.5", unit: "Gi" }, "1.5Gi"],
  ["2Ti", { amount: "2", unit: "Ti" }, "2Ti"],
  ["", { amount: "", unit: "Mi" }, ""],
  ["Gi", { amount: "", unit: "Gi" }, ""],
  ["64", { amount: "64", unit: "Mi" }, "64Mi"],
])("memory %j", (text, parts, written) => {
  expect(parseMemory(text)).toEqual(parts);
  expect(formatMemory(parseMemory(text))).toBe(written);
});

test.each([
  ["250m", "250", "250m"],
  ["2", "2000", "2000m"],
  ["0.5", "500", "500m"],
  ["", "", ""],
  ["many", "many", "manym"],
])("cpu %j", (text, millicores, written) => {
  expect(parseCpu(text)).toBe(millicores);
  expect(formatCpu(millicores)).toBe(written);
});

test.each([
  ["512Mi", undefined],
  ["", undefined],
  ["1G", numberText],
  ["fewMi", numberText],
  ["-1Mi", "This field must be at least 0"],
])("memory %j is told: %s", (text, expected) => {
  expect(checkMemory(text)).toBe(expected);
});

test("what must be there is asked for", () => {
  expect(checkMemory("", true)).toBe(requiredText);
  expect(checkCpu("", true)).toBe(requiredText);
  expect(checkCpu("m", true)).toBe(requiredText);
  expect(checkCpu("fastm")).toBe(numberText);
  expect(checkCpu("250m", true)).toBeUndefined();
});
