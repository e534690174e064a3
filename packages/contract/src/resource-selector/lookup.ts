import { z } from "zod";
import { mostLabels } from "../documents/metadata.ts";

/** How one field of other items is told: by an expression, literally, or by a label of the item itself. */

export const longestScript = 262_144;
export const celText = z.string().max(longestScript);

const scalar = z.union([z.string().max(4096), z.number(), z.boolean()]).transform(String);

/** `{ expr }`, `{ value }` or `{ label }`; the first that holds something counts. */
export interface Lookup {
  expr?: string;
  value?: string;
  label?: string;
}

const lookupObject = z.looseObject({
  expr: celText.optional().describe("A CEL expression over the item that gives the text."),
  value: scalar.optional().describe("The text itself."),
  label: z.string().max(4096).optional().describe("A label of the item whose value is the text."),
});

/** Our addition: a plain text has the meaning of `value`. */
export const lookup = z.union([scalar.transform((value): Lookup => ({ value })), lookupObject], {
  error: "Expected a text, or an object with expr, value or label.",
});

/** The fields by which other items are found, in the order in which they are written down. */
export const lookupFields = [
  "id",
  "external_id",
  "name",
  "namespace",
  "type",
  "agent",
  "scope",
] as const;
export type LookupField = (typeof lookupFields)[number];

/** Other items: every field that is told must hold; one that evaluates to nothing selects nothing at all. */
export const selectorShape = {
  id: lookup.optional().describe("Id of the items in this catalog."),
  external_id: lookup.optional().describe("Id of the items where they come from."),
  name: lookup.optional().describe("Name of the items."),
  namespace: lookup.optional().describe("Namespace of the items."),
  type: lookup.optional().describe("Type of the items, for example Kubernetes::Pod."),
  agent: lookup.optional().describe("Agent that the items come from; self for this server's own."),
  scope: lookup
    .optional()
    .describe("Scraper that the items come from: all for any; this one when absent."),
  labels: z
    .record(z.string().max(4096), scalar)
    .refine((found) => Object.keys(found).length <= mostLabels, "There are too many labels.")
    .optional()
    .describe("Labels that the items have."),
} as const;

export const selectorSpec = z.looseObject(selectorShape);
export type SelectorSpec = z.output<typeof selectorSpec>;
