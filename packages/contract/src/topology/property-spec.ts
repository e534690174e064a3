import { z } from "zod";
import { longestName } from "../documents/metadata.ts";
import { refersTo } from "../documents/json-schema.ts";
import { selectorFields } from "../resource-selector/selector-fields.ts";
import { canarySpec } from "../canary/canary-spec.ts";
import { offering } from "../canary/fields.ts";

/** Properties of components: what is written down of them, or looked up. */

const longestText = 65_536;
const longestScript = 262_144;

const text = z.string().max(longestText);
const short = z.string().max(longestName);

/** A script in one of the languages; the first that holds something counts. */
export const template = (description: string) =>
  z
    .looseObject({
      javascript: z.string().max(longestScript).optional().describe("JavaScript."),
      template: z.string().max(longestScript).optional().describe("A Go template."),
      expr: z.string().max(longestScript).optional().describe("A CEL expression."),
      jsonPath: z.string().max(longestScript).optional().describe("A JSONPath."),
    })
    .describe(description);

/** A canary spec within a document of another kind: its checks are run and not stored. */
export const lookupSpec = refersTo("CanarySpec", () => canarySpec);

export const link = z.looseObject({
  type: short.optional().describe("What it leads to, for example documentation."),
  url: z.string().max(8192).optional().describe("Where it leads."),
  text: text.optional().describe("What it says."),
  label: text.optional().describe("What it says, in older documents."),
  icon: short.optional().describe("Icon to show."),
  tooltip: text.optional().describe("More about it."),
});

/** Whole and other numbers; texts of digits, as some write them. */
const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, "Expected a number.")
    .transform(Number),
]);

/** What a property says; the same in documents and in what lookups find. */
export const propertyFields = {
  label: text.optional().describe("What it is called on the screen; its name when absent."),
  tooltip: text.optional().describe("More about it."),
  icon: short.optional().describe("Icon to show."),
  type: z
    .string()
    .max(longestName)
    .meta(offering(["url", "badge", "currency", "text", "age", "hidden"]))
    .optional()
    .describe("How it is shown: url, badge, currency, text, age or hidden."),
  color: short.optional().describe("Its colour."),
  order: z.int().optional().describe("Smaller ones come first."),
  headline: z.boolean().optional().describe("It is shown large, at the head of the card."),
  hidden: z.boolean().optional().describe("It is not shown."),
  text: z
    .union([text, z.number(), z.boolean()])
    .transform(String)
    .optional()
    .describe("Its value, as text."),
  value: number.optional().describe("Its value, as a number."),
  unit: z
    .string()
    .max(longestName)
    .meta(offering(["milliseconds", "bytes", "millicores", "millicore", "epoch", "percent", "USD"]))
    .optional()
    .describe("What the number counts: milliseconds, bytes, millicores, epoch, percent …"),
  max: number.optional().describe("The most that the value can be."),
  min: number.optional().describe("The least that it can be."),
  status: short.optional().describe("How it is."),
  lastTransition: short.optional().describe("Since when."),
  links: z.array(link).max(50).optional().describe("Where it leads."),
} as const;

/** An item of the catalog: a selector, and the fields of older documents. */
export const configQuery = z
  .looseObject({
    ...selectorFields,
    id: z
      .union([
        z.string(),
        z
          .array(z.string())
          .max(100)
          .transform((ids) => ids.join(",")),
      ])
      .optional()
      .describe("Ids, separated by commas, or a list of them."),
    type: short.optional().describe("Type of the items, in older documents."),
    class: short.optional().describe("Class of the items, in older documents."),
    external_id: short.optional().describe("Id of the items where they come from."),
    tags: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
      .optional()
      .describe("Tags that the items have."),
  })
  .describe("Items of the catalog; everything that is said must hold.");
export type ConfigQuery = z.output<typeof configQuery>;

export const componentProperty = z
  .looseObject({
    name: short
      .optional()
      .describe(
        "Name of the property, unique in its component; without one its label, its icon or its type.",
      ),
    ...propertyFields,
    lookup: lookupSpec
      .optional()
      .describe(
        "Checks that give the value: a text, a list of properties (with name), or a list of components (name, properties).",
      ),
    configLookup: z
      .looseObject({
        id: short.optional().describe("Property of the component that holds the item's name."),
        config: configQuery.optional().describe("The item; the first that is found counts."),
        field: z.string().max(4096).optional().describe("JSONPath into what is configured."),
        display: template("Script over the item (`config`) that gives the text.").optional(),
      })
      .optional()
      .describe("Takes the value from an item of the catalog."),
    summary: template("Script that gives the text, over `self` and `properties`.").optional(),
  })
  .describe("A property of a component.");
export type ComponentPropertySpec = z.output<typeof componentProperty>;
