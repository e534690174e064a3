import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ScriptError } from "../script-error.ts";
import type { Value } from "../values.ts";
import { compileJsonPath, type Location } from "./engine.ts";

/**
 * The JSONPath Compliance Test Suite of the authors of RFC 9535 (github.com/jsonpath-standard, BSD-2-Clause), without its
 * tags. Read as text: a lone surrogate of a case is none of a module.
 */
interface Case {
  name: string;
  selector: string;
  document: Value;
  invalid_selector?: boolean;
  result?: Value[];
  results?: Value[][];
  result_paths?: string[];
  results_paths?: string[][];
}
const cases = JSON.parse(
  readFileSync(new URL("compliance.cases.json", import.meta.url), "utf8"),
) as Case[];

const escaped = (name: string) =>
  JSON.stringify(name)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`);
const normalized = (location: Location) =>
  `$${location.map((key) => (typeof key === "number" ? `[${key}]` : `['${escaped(key)}']`)).join("")}`;

test("the suite is whole", () => {
  expect(cases).toHaveLength(687);
});

describe.each([{ strict: true }, { strict: false }])("%j", ({ strict }) => {
  test.each(cases.filter((given) => !given.invalid_selector))("$name: $selector", (given) => {
    const found = compileJsonPath(given.selector, { strict }).find(given.document);
    expect(given.results ?? [given.result]).toContainEqual(found.map(({ value }) => value));
    expect(given.results_paths ?? [given.result_paths]).toContainEqual(
      found.map(({ location }) => normalized(location)),
    );
  });
});

test.each(cases.filter((given) => given.invalid_selector))(
  "$name is refused: $selector",
  ({ selector }) => {
    expect(() => compileJsonPath(selector, { strict: true })).toThrow(ScriptError);
  },
);
