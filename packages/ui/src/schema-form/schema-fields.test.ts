import { expect, test } from "vitest";
import { type Control, fieldsOfSchema, labelOf, type Schema } from "./schema-fields.ts";

test.each([
  ["url", "URL"],
  ["maxSSLExpiry", "Max SSL expiry"],
  ["responseJSONContent", "Response JSON content"],
  ["min_age", "Min age"],
  ["name", "Name"],
])("%s is labelled %s", (key, label) => expect(labelOf(key)).toBe(label));

const control = (schema: Schema, root: Partial<Schema> = {}): Control =>
  fieldsOfSchema({ ...root, properties: { it: schema } })[0]!.control;

test.each<[string, Schema, Control]>([
  ["a text", { type: "string" }, { kind: "text", isMultiline: false }],
  [
    "a whole number",
    { type: "integer", minimum: 1 },
    { kind: "number", isWhole: true, min: 1, max: undefined },
  ],
  ["a truth", { type: "boolean" }, { kind: "boolean" }],
  ["one of some", { enum: ["a", "b"] }, { kind: "choice", options: ["a", "b"] }],
  ["a number or a text", { anyOf: [{ type: "integer" }, { type: "string" }] }, { kind: "scalar" }],
  ["several types", { type: ["string", "number"] }, { kind: "scalar" }],
  [
    "a text or a mapping",
    { anyOf: [{ type: "string" }, { type: "object" }] },
    { kind: "text", isMultiline: false },
  ],
  [
    "a list",
    { type: "array", items: { type: "boolean" } },
    { kind: "list", item: { kind: "boolean" } },
  ],
  [
    "a map",
    { type: "object", additionalProperties: { type: "boolean" } },
    { kind: "map", value: { kind: "boolean" } },
  ],
  ["anything", {}, { kind: "yaml" }],
  ["any mapping", { type: "object", properties: {}, additionalProperties: {} }, { kind: "yaml" }],
  ["what is defined elsewhere", { $ref: "#/$defs/flag" }, { kind: "boolean" }],
])("%s", (_what, schema, expected) => {
  expect(control(schema, { $defs: { flag: { type: "boolean" } } })).toEqual(expected);
});

test("what contains itself ends", () => {
  const node: Schema = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
  expect(JSON.stringify(control({ $ref: "#/$defs/node" }, { $defs: { node } }))).toContain("yaml");
});

test("a mapping has fields, of which some are required and some are the caller's", () => {
  const schema: Schema = {
    properties: {
      auth: {
        description: "Who asks.",
        required: ["user"],
        type: "object",
        properties: { user: { type: "string" }, key: { type: "string", writeOnly: true } },
      },
    },
  };
  const [field] = fieldsOfSchema(schema, {
    recognise: ({ writeOnly }, { key }) => (writeOnly ? `own-${key}` : undefined),
  });
  expect(field).toEqual({
    key: "auth",
    label: "Auth",
    help: "Who asks.",
    isRequired: false,
    control: {
      kind: "object",
      fields: [
        {
          key: "user",
          label: "User",
          help: undefined,
          isRequired: true,
          control: { kind: "text", isMultiline: false },
        },
        {
          key: "key",
          label: "Key",
          help: undefined,
          isRequired: false,
          control: { kind: "own", name: "own-key" },
        },
      ],
    },
  });
});
