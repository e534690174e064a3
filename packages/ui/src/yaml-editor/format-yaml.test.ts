import { expect, test } from "vitest";
import { formatYaml } from "./format-yaml.ts";

test.each([
  ["indentation", "a:\n      b:   1\n      c:\n       - 2\n", "a:\n  b: 1\n  c:\n    - 2\n"],
  [
    "comments and order",
    "# top\nb: 1   # why\n\n# below\na: 2\n",
    "# top\nb: 1 # why\n\n# below\na: 2\n",
  ],
  ["several documents", "a:   1\n---\nb:   2\n", "a: 1\n---\nb: 2\n"],
  ["block texts", "a: |\n    one\n      two\n", "a: |\n  one\n    two\n"],
  ["a long line", `a: ${"word ".repeat(40)}end\n`, `a: ${"word ".repeat(40)}end\n`],
  ["nothing", "", ""],
])("%s", (_name, text, expected) => {
  const formatted = formatYaml(text);
  expect(formatted).toBe(expected);
  expect(formatYaml(formatted ?? "")).toBe(expected);
});

test.each(["a: [", "a: 1\na: 2\n", `a: ${"x".repeat(1_000_000)}`])(
  "what cannot be read is left alone",
  (text) => {
    expect(formatYaml(text)).toBeNull();
  },
);
