import { expect, test } from "vitest";
import {
  describeKey,
  keyCompletions,
  schemasAt,
  valueCompletions,
  type Schema,
} from "./schema-help.ts";

const schema: Schema = {
  type: "object",
  properties: {
    kind: { const: "Canary" },
    spec: { $ref: "#/$defs/spec" },
  },
  $defs: {
    spec: {
      type: "object",
      description: "What to run.",
      required: ["name"],
      properties: {
        labels: { type: "object", additionalProperties: { type: "string" } },
        name: { type: "string", description: "Its name." },
        http: {
          type: "array",
          items: {
            type: "object",
            properties: { method: { enum: ["GET", "POST"] }, insecure: { type: "boolean" } },
          },
        },
        auth: {
          anyOf: [
            { type: "object", properties: { basic: { type: "string" } } },
            { type: "string" },
          ],
        },
      },
    },
  },
};

test("keys that are missing, required ones first", () => {
  expect(
    keyCompletions(schema, ["spec"], ["labels"]).map(({ label, insert }) => [label, insert]),
  ).toEqual([
    ["name", "name: "],
    ["http", "http:"],
    ["auth", "auth: "],
  ]);
  expect(keyCompletions(schema, ["spec", "http", 3], []).map(({ label }) => label)).toEqual([
    "method",
    "insecure",
  ]);
  expect(keyCompletions(schema, ["spec", "auth"], []).map(({ label }) => label)).toEqual(["basic"]);
  expect(keyCompletions(schema, ["nowhere", 0], [])).toEqual([]);
});

test("values", () => {
  expect(valueCompletions(schema, ["spec", "http", 0], "method").map(({ label }) => label)).toEqual(
    ["GET", "POST"],
  );
  expect(
    valueCompletions(schema, ["spec", "http", 0], "insecure").map(({ label }) => label),
  ).toEqual(["true", "false"]);
  expect(valueCompletions(schema, [], "kind").map(({ label }) => label)).toEqual(["Canary"]);
});

test("descriptions", () => {
  expect(describeKey(schema, ["spec"], "name")).toBe("Its name.\nstring");
  expect(describeKey(schema, ["spec"], "labels")).toBeUndefined();
});

test("a schema that refers to itself ends", () => {
  const loop: Schema = { properties: { a: { $ref: "#" } } };
  expect(
    schemasAt(
      loop,
      Array.from({ length: 100 }, () => "a"),
    ).length,
  ).toBeLessThan(100);
});
