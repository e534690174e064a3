import { describe, expect, test } from "vitest";
import { canaryLanguage } from "./canary-language.ts";
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

describe("Canary documents", () => {
  const language = canaryLanguage();
  const document = [
    "apiVersion: canaries.flanksource.com/v1",
    "kind: Canary",
    "metadata:",
    "  name: web",
    "spec:",
    "  http:",
    "    - name: a",
    "      ",
  ].join("\n");

  test("completion knows the fields of a check", async () => {
    const found = await language.complete(document, document.length);
    expect(found?.options.map(({ label }) => label)).toContain("url");
    expect(found?.options.map(({ label }) => label)).not.toContain("name");
  });

  test("problems have their place", async () => {
    const text = `${document.trimEnd()}\n      responseCodes: nonsense\n`;
    const problems = await language.check(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(
      problems.some(
        (problem) =>
          text.slice(problem.from, problem.to).includes("nonsense") ||
          text.slice(problem.from, problem.to).includes("responseCodes"),
      ),
    ).toBe(true);
  });

  test("a key explains itself", async () => {
    const help = await language.describe(document, document.indexOf("http"));
    expect(help).not.toBeNull();
    expect(help && document.slice(help.from, help.to)).toBe("http");
  });

  test("an empty text has no problems yet", async () => {
    expect(await language.check("  \n")).toEqual([]);
  });
});
