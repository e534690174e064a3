import fc from "fast-check";
import { JSONPathEnvironment } from "json-p3";
import { expect, test } from "vitest";
import { ScriptError } from "../script-error.ts";
import type { Context, Value } from "../values.ts";
import { compileJsonPath, jsonpath } from "./engine.ts";
import cases from "./dialect.cases.json" with { type: "json" };

function run(path: string, context: Context = {}, limits = {}) {
  try {
    return { value: jsonpath.compile(path, { limits }).run(context) };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { error: error.message, line: error.line, column: error.column };
  }
}

/** Written by hand, after fact 17 of the reference's engines. */
test.each(cases as { path: string; context?: Context }[])(
  "$path",
  ({ path, context, ...expected }) => {
    expect(run(path, context)).toEqual(expected);
  },
);

test("steps are counted, in filters as well", () => {
  const list = Array.from({ length: 300 }, (_, index) => index);
  for (const path of ["$..[?count($..*) > 1]", "$.list[?count($.list[?count($.list[*]) > 1]) > 1]"])
    expect(run(path, { list, nested: [list, list] }, { steps: 100_000 }).error).toBe(
      "takes too many steps",
    );
});

test("neither a deep path nor a deep document overflows the stack", () => {
  expect(run(`$[?${"(".repeat(5000)}`).error).toMatch(/nested more than/);
  expect(run(`$${"[?@".repeat(5000)}`).error).toMatch(/nested more than/);
  let deep: Value = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];
  expect(run("$..x", { deep }).error).toMatch(/nested more than/);
});

test("locations lead to the values", () => {
  const document = { a: [{ b: 1 }, { b: [2] }] };
  expect(compileJsonPath("$..b").find(document)).toEqual([
    { value: 1, location: ["a", 0, "b"] },
    { value: [2], location: ["a", 1, "b"] },
  ]);
});

const name = fc.constantFrom("a", "b", "é", "x y");
const json = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Value>(null, true, 0, 1, -1.5, "", "a", "b"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const text = fc.constantFrom("'a'", "'b'", '"é"', "'x y'");
const whole = fc.integer({ min: -3, max: 3 }).map(String);
const slice = fc
  .tuple(
    fc.option(whole, { nil: "" }),
    fc.option(whole, { nil: "" }),
    fc.option(whole, { nil: "" }),
  )
  .map((parts) => parts.join(":"));
const singular = fc
  .array(fc.oneof(text, whole), { maxLength: 2 })
  .map((parts) => `@${parts.map((part) => `[${part}]`).join("")}`);
const operand = fc.oneof(
  singular,
  text,
  whole,
  fc.constantFrom("null", "true", "1.5"),
  singular.map((path) => `length(${path})`),
  singular.map((path) => `count(${path}[*])`),
  singular.map((path) => `value(${path}..a)`),
);
const basic = fc.oneof(
  singular,
  singular.map((path) => `!${path}`),
  fc
    .tuple(operand, fc.constantFrom("==", "!=", "<", "<=", ">", ">="), operand)
    .map((parts) => parts.join(" ")),
);
const filter = fc
  .array(basic, { minLength: 1, maxLength: 3 })
  .chain((parts) => fc.constantFrom(" && ", " || ").map((sign) => `?${parts.join(sign)}`));
const segment = fc
  .tuple(
    fc.constantFrom("", "", ".."),
    fc.array(fc.oneof(text, whole, slice, fc.constant("*"), filter), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([descends, selectors]) => `${descends}[${selectors.join(", ")}]`);
const path = fc.array(segment, { maxLength: 3 }).map((segments) => `$${segments.join("")}`);

test("any path finds what json-p3 finds", () => {
  const other = new JSONPathEnvironment();
  fc.assert(
    fc.property(path, json, (script, document) => {
      const found = compileJsonPath(script, { strict: true }).values(document);
      expect(found).toEqual(other.query(script, document as never).values());
    }),
    { numRuns: 1000 },
  );
});

test("whatever the text, it is a path or a mistake", () => {
  const part = fc.constantFrom(
    "$",
    "@",
    ".",
    "..",
    "[",
    "]",
    "?",
    "(",
    ")",
    "a",
    "'",
    "*",
    ":",
    "1",
    "-",
    ",",
    " ",
    "==",
    "&&",
    "!",
    "=~",
    "/",
    "in",
    "\\",
    "\ud800",
    "match",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(part).map((parts) => parts.join("")),
      ),
      (script) => {
        run(script, { a: [1] });
      },
    ),
    { numRuns: 2000 },
  );
});
