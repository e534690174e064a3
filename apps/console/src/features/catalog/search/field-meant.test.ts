import { expect, test } from "vitest";
import { fieldMeant } from "./field-meant.ts";

test.each([
  ["tpye=pod", "items", "type"],
  ["web healht!=healthy", "items", "health"],
  ["(a | -staus=Running)", "items", "status"],
  ["serverity>=high", "changes", "severity"],
] as const)("%s of %s says what may be meant", (text, of, meant) => {
  expect(fieldMeant(text, of)?.meant).toBe(meant);
});

test.each([
  ["type=pod health=unhealthy", "items"],
  ["config_type=pod updated_at>now-1d", "items"],
  ["tag:tpye=x label:nmae config.spec.tpye=1", "items"],
  ["cpu>250", "items"],
  ["tpye heal", "items"],
  ["config_type=pod by=vera", "changes"],
  ["health=", "items"],
] as const)("of %s of %s nothing is said", (text, of) => {
  expect(fieldMeant(text, of)).toBeUndefined();
});
