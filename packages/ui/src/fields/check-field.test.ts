import { expect, test } from "vitest";
import { checkNumber, checkRequired, numberText, requiredText } from "./check-field.ts";

test.each([
  ["", requiredText],
  ["  \t", requiredText],
  [null, requiredText],
  [undefined, requiredText],
  [[], requiredText],
  ["0", undefined],
  [["a"], undefined],
])("required, given %j: %s", (value, expected) => {
  expect(checkRequired(value)).toBe(expected);
});

test.each([
  ["", {}, undefined],
  ["", { required: true }, requiredText],
  ["12", { required: true }, undefined],
  [" -0.5 ", {}, undefined],
  ["1e3", {}, undefined],
  ["ten", {}, numberText],
  ["1,5", {}, numberText],
  ["0x10", {}, numberText],
  ["Infinity", {}, numberText],
  ["1e999", {}, numberText],
  ["12px", {}, numberText],
  ["-1", { min: 0 }, "This field must be at least 0"],
  ["11", { max: 10 }, "This field must be at most 10"],
  ["1.5", { whole: true }, "This field must be a whole number"],
])("a number, given %j with %j: %s", (text, rules, expected) => {
  expect(checkNumber(text, rules)).toBe(expected);
});
