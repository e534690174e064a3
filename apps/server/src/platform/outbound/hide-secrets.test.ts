import { expect, test } from "vitest";
import { hideSecrets } from "./hide-secrets.ts";

test("secrets are hidden, the longest first, and short words are left alone", () => {
  expect(
    hideSecrets("sesame and sesame2 or abc", ["sesame", "sesame2", "abc", undefined, ""]),
  ).toBe("[hidden] and [hidden] or abc");
});
