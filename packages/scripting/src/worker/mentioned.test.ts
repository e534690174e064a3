import { afterAll, expect, test } from "vitest";
import type { Value } from "../values.ts";
import { createEvaluator } from "./evaluator.ts";
import { mentionedOf } from "./mentioned.ts";

const evaluator = createEvaluator();
afterAll(() => evaluator.close());

const context = { results: { json: [1, 2] }, json: [1, 2], content: "[1, 2]", x: 1, size: 3 };
const kept = (script: string) => Object.keys(mentionedOf(context, "cel", script)).toSorted();

test.each([
  ["results.json.map(x, x)", ["results", "x"]],
  ["json.size()", ["json"]],
  ["size(json) + size", ["json", "size"]],
  ["[json, results['json']]", ["json", "results"]],
  ["// all of the items.\njson", ["json"]],
  ["results.\n  json", ["json", "results"]],
  [".json", ["json"]],
  ["results.?json", ["json", "results"]],
  ["'json'", ["json"]],
  ["jsonified + my_json + json2", []],
])("%s sees %j", (script, names) => {
  expect(kept(script)).toEqual(names);
});

test("what other languages can look through is whole", () => {
  for (const language of ["javascript", "gotemplate", "jsonpath"] as const)
    expect(mentionedOf(context, language, "1")).toBe(context);
});

test("the same rows under several names count once where one is asked for", async () => {
  const rows: Value = Array.from({ length: 5_000 }, (_, n) => ({
    name: `pod-${n}`,
    labels: { app: "shop", team: "one" },
    properties: [
      { name: "cpu", value: n, unit: "m" },
      { name: "version", value: 1, unit: "" },
    ],
  }));
  const many = { json: rows, results: { json: rows }, content: JSON.stringify(rows) };
  for (const script of ["results.json.size()", "json.size()", "size(json)"])
    expect(await evaluator.evaluate({ language: "cel", script, context: many })).toMatchObject({
      value: 5_000,
    });
  await expect(
    evaluator.evaluate({ language: "cel", script: "nowhere", context: many }),
  ).rejects.toThrow("nowhere");
});
