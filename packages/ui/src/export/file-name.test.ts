import { expect, test } from "vitest";
import { asFileName } from "./file-name.ts";

test.each([
  ["orders db", "orders-db"],
  ["注文サービス-8", "注文サービス-8"],
  ["платежи/../etc", "платежи-..-etc"],
  ["<img src=x>", "-img-src-x-"],
])("%s is saved as %s", (name, file) => {
  expect(asFileName(name)).toBe(file);
});
