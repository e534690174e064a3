import { expect, test } from "vitest";
import { schemaChecker } from "./schema-problems.ts";

const check = schemaChecker({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["kind"],
  properties: {
    kind: { const: "Job" },
    spec: { $ref: "#/$defs/spec" },
    "a/b": { type: "boolean" },
  },
  additionalProperties: false,
  $defs: {
    spec: {
      type: "object",
      required: ["schedule"],
      properties: {
        schedule: { type: "string", pattern: "^@" },
        level: { enum: ["low", "high"] },
        steps: {
          type: "array",
          items: {
            type: "object",
            properties: { name: { type: "string" }, count: { type: "integer", minimum: 1 } },
            additionalProperties: false,
          },
        },
        secret: {
          oneOf: [
            { type: "string" },
            {
              type: "object",
              required: ["key"],
              properties: { key: { type: "string" }, name: { type: "string" } },
              additionalProperties: false,
            },
          ],
        },
        size: { anyOf: [{ type: "string" }, { type: "number" }] },
      },
      additionalProperties: false,
    },
  },
});

const told = (text: string) =>
  check(text).map(({ from, to, message }) => [text.slice(from, to), message]);
const job = (spec: string) => `kind: Job\nspec:\n  schedule: "@daily"\n${spec}`;

test.each<[string, string, [string, string][]]>([
  ["nothing", "", []],
  ["a comment alone", "# later\n", []],
  ["what fits", job("  size: 3\n"), []],
  ["a missing key", "spec:\n  schedule: '@daily'\n", [["spec", "kind is missing"]]],
  [
    "a missing key inside",
    "kind: Job\nspec:\n  level: low\n",
    [["spec", "spec: schedule is missing"]],
  ],
  ["another constant", "kind: Canary\n", [["Canary", 'kind: Expected "Job"']]],
  [
    "a key that is not known",
    job("  steps:\n    - nmae: a\n"),
    [["nmae", "spec.steps.0.nmae: This key is not known here"]],
  ],
  ["a kind of value", job("  steps: none\n"), [["none", "spec.steps: Expected array"]]],
  ["not one of several", job("  level: odd\n"), [["odd", "spec.level: Expected one of low, high"]]],
  [
    "a number below its least",
    job("  steps:\n    - count: 0\n"),
    [["0", "spec.steps.0.count: 0 is less than 1"]],
  ],
  ["no alternative", job("  size: true\n"), [["true", "spec.size: Expected string or number"]]],
  [
    "the alternative that was meant",
    job("  secret:\n    key: a\n    nmae: b\n"),
    [["nmae", "spec.secret.nmae: This key is not known here"]],
  ],
  ["a key with a slash", "kind: Job\na/b: 1\n", [["1", "a/b: Expected boolean"]]],
  ["a list for a mapping", "- kind: Job\n", [["- kind: Job\n", "Expected object"]]],
])("%s", (_name, text, expected) => {
  expect(told(text)).toEqual(expected);
});

test("several documents are each checked, in the order of the text", () => {
  const text = "kind: Job\nspec: 1\n---\nkind: no\n---\nkind: Job\nmore: 1\n";
  expect(told(text).map(([place]) => place)).toEqual(["1", "no", "more"]);
});

test.each([
  ["a key twice", "kind: Job\nkind: Job\n"],
  ["an open bracket", "kind: [\n"],
  ["a tab", "kind:\n\t- a\n"],
])("%s is no YAML, and is told with its place", (_name, text) => {
  const [problem] = check(text);
  expect(problem).toMatchObject({ severity: "error" });
  expect(problem!.to).toBeLessThanOrEqual(text.length + 1);
});

test("a document that would grow beyond all measure is refused", () => {
  const bomb = ["a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]"];
  for (let level = 1; level < 9; level += 1) {
    const name = String.fromCharCode(96 + level);
    const next = String.fromCharCode(97 + level);
    bomb.push(`${next}: &${next} [${Array.from({ length: 9 }, () => `*${name}`).join(", ")}]`);
  }
  expect(check(bomb.join("\n")).map(({ message }) => message)).toEqual([
    expect.stringMatching(/alias/i),
  ]);
});

test("a text of many problems is told at most a hundred", () => {
  const text = `kind: Job\n${Array.from({ length: 500 }, (_, index) => `k${index}: 1`).join("\n")}`;
  expect(check(text)).toHaveLength(100);
});

test("a text beyond a million characters is not checked, and says so", () => {
  expect(check(`kind: ${"x".repeat(1_000_000)}`)).toMatchObject([{ severity: "warning" }]);
});

test("schemas of older drafts are understood", () => {
  const old = schemaChecker({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { a: { $ref: "#/definitions/b" } },
    definitions: { b: { type: "number" } },
  });
  expect(old("a: x\n")).toMatchObject([{ message: "a: Expected number" }]);
});
