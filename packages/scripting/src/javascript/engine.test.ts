import { expect, test } from "vitest";
import fc from "fast-check";
import type { HostFunction } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import { Duration, type Context, type Value } from "../values.ts";
import { JavaScript } from "./engine.ts";
import cases from "./javascript.cases.json" with { type: "json" };

const javascript = new JavaScript();

/** Stand for those of the package's own. */
const functions: Record<string, HostFunction> = {
  "k8s.isHealthy": (given) => (given as { ok: Value }).ok === true,
  nothing: () => null,
  fail: (reason) => {
    throw new Error(reason as string);
  },
};

async function run(script: string, context: Context = {}, limits = {}) {
  await javascript.ready();
  try {
    const { value, text } = javascript.compile(script, { functions, limits }).runWithText!(context);
    return { value, text };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { error: error.message, line: error.line, column: error.column };
  }
}

/** Written by hand, from what the documents of people do and what fact 16 of the reference's engines says. */
test.each(cases as { script: string; context?: Context }[])("$script", async (given) => {
  const { script, context, ...expected } = given;
  expect(await run(script, context)).toEqual(expected);
});

test("times are texts, durations nanoseconds, bytes text, and integers numbers", async () => {
  const context = {
    at: new Date(0),
    took: new Duration(1_500_000n),
    bytes: Buffer.from("é"),
    n: 5n,
  };
  expect(await run("[at, took, bytes, n]", context)).toMatchObject({
    value: ["1970-01-01T00:00:00.000Z", 1_500_000, "é", 5],
  });
});

test("nothing of one run is there in the next", async () => {
  await run("Array.prototype.map = null; globalThis.left = 1; Object.prototype.x = 1");
  expect(await run("typeof left + typeof [].map + typeof ({}).x")).toMatchObject({
    value: "undefinedfunctionundefined",
  });
});

test.each([
  ["a loop", "while (true) {}", "takes longer than 200 ms"],
  ["a loop that catches", "for (;;) try { for (;;); } catch (e) {}", "takes longer than 200 ms"],
  ["a regular expression", "/^(a+)+$/.test('a'.repeat(40) + 'b')", "takes longer than 200 ms"],
  ["a result that is never made", "({toString() { for (;;); }})", "takes longer than 200 ms"],
  ["an error that is never told", "throw {get message() { for (;;); }}", /cannot be told/],
  ["buffers", "var a = []; for (;;) a.push(new ArrayBuffer(1e6))", /64 MB|200 ms/],
  ["one buffer", "new ArrayBuffer(1e9)", /64 MB|200 ms/],
  ["texts", "var s = 'x'; for (;;) s += s + Math.random()", /64 MB|200 ms/],
  ["lists", "var a = [1]; for (;;) a = a.concat(a)", /64 MB|200 ms/],
  ["calls", "function f() { f() } f()", "is nested too deeply"],
  [
    "calls by the language",
    "var a = []; a[0] = a; a.toString = function () { return '' + this }; '' + a",
    "is nested too deeply",
  ],
  ["lists in lists", "JSON.parse('['.repeat(1e5))", /stack overflow/],
  ["a deep text", "(".repeat(1e4), /stack overflow|nested|SyntaxError/],
  ["output", "'a'.repeat(1e7)", /result is longer than|64 MB|200 ms/],
  ["text of its own", "({toString() { return 'a'.repeat(8e6) }})", /result is longer than/],
])("bombs end: %s", async (_, script, message) => {
  const { error } = await run(script, {}, { milliseconds: 200 });
  // On a busy machine time is up before anything else is.
  if (error !== "takes longer than 200 ms") expect(error).toMatch(message);
  expect(await run("1 + 1")).toMatchObject({ value: 2 });
});

test.each([
  "this.constructor.constructor('return typeof process + typeof Deno + typeof require')()",
  "(function () { return this })().constructor.constructor('return typeof process')()",
  "Object.getPrototypeOf(async function () {}).constructor; typeof process",
  "k8s.isHealthy.constructor('return typeof process')()",
  "try { k8s.isHealthy() } catch (e) { e.constructor.constructor('return typeof process')() }",
  "o.__proto__.constructor.constructor('return typeof process')()",
])("no way out: %s", async (script) => {
  expect((await run(script, { o: {} })).text).toMatch(/^(undefined)+$/);
});

test("a context nested too deeply is refused", async () => {
  let deep: Value = 1;
  for (let level = 0; level < 200; level++) deep = [deep];
  expect((await run("1", { deep })).error).toMatch(/nested more than 100 levels/);
});

test("whatever the text, there is a result or a mistake of the script", async () => {
  const word = fc.constantFrom(
    "var ",
    "a",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "=>",
    "`",
    "'",
    "/",
    "*",
    ".",
    ";",
    "if ",
    "for",
    "1",
    "=",
    "\n",
    "\0",
    "é",
    "function ",
    "throw ",
    "_",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word).map((words) => words.join("")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (script) => {
      expect(await run(script, { a: [1] }, { milliseconds: 50 })).toBeDefined();
    }),
    { numRuns: 150 },
  );
});
