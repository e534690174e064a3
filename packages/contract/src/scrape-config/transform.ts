import { z } from "zod";
import { changeSeverities } from "../catalog.ts";
import { celText, longestScript, selectorShape } from "../resource-selector/lookup.ts";
import { jsonPath, textList, wordOf } from "./texts.ts";

/** What becomes of items between being read and being stored. */

const mostRules = 500;
const exclude = z
  .looseObject({
    types: textList(1000, 1000)
      .optional()
      .describe("Only of items of these types, with * and !; of all when absent."),
    jsonpath: jsonPath.min(1).describe("Fields to leave out, as a JSONPath."),
  })
  .describe("Fields of items that are not stored.");
export type ExcludeSpec = z.output<typeof exclude>;

const mask = z
  .looseObject({
    selector: celText
      .optional()
      .describe("A CEL expression over the item: which are masked. All when absent."),
    jsonpath: jsonPath.min(1).describe("Fields to mask, as a JSONPath."),
    value: z
      .string()
      .max(4096)
      .optional()
      .describe("What stands there instead; md5sum for a hash of what stood there."),
  })
  .describe("Fields of items that are stored as something else.");
export type MaskSpec = z.output<typeof mask>;

const relationship = z
  .looseObject({
    ...selectorShape,
    filter: celText
      .optional()
      .describe("A CEL expression over the item: which are related. All when absent."),
    expr: celText
      .optional()
      .describe("A CEL expression over the item that gives a list of selectors."),
    parent: z.boolean().optional().describe("What is found is the parent of the item."),
  })
  .describe("Other items that items are related to.");
export type RelationshipSpec = z.output<typeof relationship>;

/** What a mapping makes of a change beside describing it anew. */
export const changeActions = ["delete", "ignore", "move-up", "copy-up", "move", "copy"] as const;
export type ChangeAction = (typeof changeActions)[number];

const mapping = z
  .looseObject({
    filter: celText
      .optional()
      .describe("A CEL expression over the change and its item: which changes. All when absent."),
    severity: wordOf(changeSeverities, "severity")
      .optional()
      .describe("The severity that the changes are given: critical, high, medium, low or info."),
    type: z.string().max(1000).optional().describe("The type that the changes are given."),
    summary: z
      .string()
      .max(longestScript)
      .optional()
      .describe("The summary that the changes are given: a Go template."),
    action: wordOf(changeActions, "action")
      .optional()
      .describe(
        "delete: the item is gone; ignore: no change is stored; move, copy: to other items; move-up, copy-up: to an ancestor.",
      ),
    config_id: celText
      .optional()
      .describe("A CEL expression that gives the external id of the item the change belongs to."),
    config_type: z.string().max(1000).optional().describe("Type of that item."),
    scraper_id: z
      .string()
      .max(1000)
      .optional()
      .describe("Scraper that that item comes from; all for any."),
    ancestor_type: z
      .string()
      .max(1000)
      .optional()
      .describe(
        "Of move-up and copy-up: the nearest ancestor of this type; the parent when absent.",
      ),
    target: z
      .looseObject(selectorShape)
      .optional()
      .describe("Of move and copy: the items that the change goes to."),
  })
  .describe("What becomes of changes.");
export type ChangeMapping = z.output<typeof mapping>;

const changes = z
  .looseObject({
    mapping: z.array(mapping).max(mostRules).optional().describe("What becomes of changes."),
    exclude: z
      .array(celText)
      .max(mostRules)
      .optional()
      .describe("CEL expressions over a change and its item: changes that are not stored."),
  })
  .describe("What becomes of the changes of items.");
export type ChangesSpec = z.output<typeof changes>;

const location = z
  .looseObject({
    type: z
      .string()
      .min(1)
      .max(1000)
      .describe("Types of the items, after commas, with * and !: Kubernetes::*."),
    filter: celText
      .optional()
      .describe("A CEL expression over the item: which are meant. All when absent."),
    values: z
      .array(z.string().max(4096))
      .max(100)
      .optional()
      .describe("What they are given: texts, or Go templates over the item."),
    withParent: z
      .string()
      .max(1000)
      .optional()
      .describe("Together with the same of their ancestor of this type."),
  })
  .describe("Further names of items.");
export type LocationSpec = z.output<typeof location>;

const scriptText = z.string().max(longestScript).optional();

export const transform = z
  .looseObject({
    gotemplate: scriptText.describe("A Go template that writes a JSON list of items."),
    jsonpath: scriptText.describe("A JSONPath that finds the items."),
    expr: scriptText.describe("A CEL expression that gives a list of items."),
    javascript: scriptText.describe(
      "JavaScript whose last expression is a list of items, or its JSON.",
    ),
    exclude: z.array(exclude).max(mostRules).optional().describe("Fields that are not stored."),
    mask: z.array(mask).max(mostRules).optional().describe("Fields that are masked."),
    relationship: z
      .array(relationship)
      .max(mostRules)
      .optional()
      .describe("Other items that items are related to."),
    changes: changes.optional(),
    locations: z
      .array(location)
      .max(mostRules)
      .optional()
      .describe("Where items are, beside where they were found."),
    aliases: z
      .array(location)
      .max(mostRules)
      .optional()
      .describe("External ids that items have beside their own."),
  })
  .describe("What becomes of items before they are stored.");
export type TransformSpec = z.output<typeof transform>;
