import { z } from "zod";
import { labels, longestName } from "../documents/metadata.ts";
import { celText } from "../resource-selector/lookup.ts";
import { jsonPath, textList } from "./texts.ts";
import { transform } from "./transform.ts";

/** What every scraper may say, whatever it reads. */

/** Tags of one scraper, over all names. Source: spec formats, section 7.2. */
export const mostTags = 5;
const mostProperties = 200;

const extracted = (what: string) =>
  z.string().max(4096).optional().describe(`${what}: a JSONPath ($.a.b), or the text itself.`);

/** Whether a field of extraction says where its text stands, and is not the text itself. */
export const isJsonPath = (text: string): boolean => text.trimStart().startsWith("$");

const tag = z
  .looseObject({
    name: z.string().min(1).max(longestName).describe("Name of the tag."),
    value: z
      .union([z.string().max(4096), z.number(), z.boolean()])
      .transform(String)
      .optional()
      .describe("Its value."),
    label: z.string().max(4096).optional().describe("A label of the item that holds the value."),
    jsonpath: jsonPath.optional().describe("Where in the item the value stands, as a JSONPath."),
  })
  .describe("A tag of every item.");
export type TagSpec = z.output<typeof tag>;

const tags = z
  .union(
    [
      z.array(tag).max(100),
      z
        .record(z.string().min(1).max(longestName), z.union([z.string(), z.number(), z.boolean()]))
        .transform((found) =>
          Object.entries(found).map(([name, value]): TagSpec => ({ name, value: String(value) })),
        ),
    ],
    { error: "Expected a list of tags with name and value, label or jsonpath." },
  )
  .refine((found) => new Set(found.map(({ name }) => name)).size <= mostTags, {
    error: `There are too many tags, at most ${mostTags} of different names fit.`,
  });

const templated = (what: string) =>
  z.string().max(16_384).optional().describe(`${what}; a Go template over the item.`);
/** Texts are templates. */
const amount = (what: string) =>
  z
    .union([z.number(), z.string().max(16_384)])
    .optional()
    .describe(`${what}; a number, or a Go template that gives one.`);

/** The fields of a property that are templates. */
export const templatedPropertyFields = [
  "name",
  "label",
  "type",
  "text",
  "value",
  "unit",
  "min",
  "max",
  "icon",
  "color",
  "tooltip",
  "status",
  "lastTransition",
] as const;
/** The same of a link. */
export const templatedLinkFields = ["type", "url", "text", "label", "tooltip", "icon"] as const;

const link = z
  .looseObject({
    type: templated("Kind of the link"),
    url: templated("Where it leads"),
    text: templated("What it says"),
    label: templated("What stands before it"),
    tooltip: templated("What is said about it"),
    icon: templated("Its icon"),
  })
  .describe("A link of a property.");

const property = z
  .looseObject({
    filter: celText
      .optional()
      .describe("A CEL expression over the item: which have the property. All when absent."),
    name: templated("Name of the property"),
    label: templated("What it is called on pages"),
    type: templated("Kind of its value"),
    text: templated("Its value as a text"),
    value: amount("Its value as a number"),
    unit: templated("What the number counts"),
    min: amount("Least that the number can be"),
    max: amount("Most that the number can be"),
    icon: templated("Its icon"),
    color: templated("Its colour"),
    order: z.int().optional().describe("Place among the properties."),
    headline: z.boolean().optional().describe("Shown first."),
    hidden: z.boolean().optional().describe("Not shown."),
    tooltip: templated("What is said about it"),
    status: templated("Its state"),
    lastTransition: templated("Since when it has this state"),
    links: z.array(link).max(50).optional().describe("Where to read more."),
  })
  .describe("A property of items, for their pages.");
export type PropertySpec = z.output<typeof property>;

export const baseShape = {
  items: jsonPath
    .optional()
    .describe("JSONPath to the list of items in what was read; it is one item when absent."),
  id: extracted("Id of an item where it comes from"),
  name: extracted("Name of an item; its id when absent"),
  type: extracted("Type of an item, for example Kubernetes::Pod"),
  class: extracted("Class of an item; its type when absent"),
  status: extracted("Status of an item"),
  health: extracted("Health of an item: healthy, unhealthy, warning or unknown"),
  description: extracted("What is said about an item"),
  format: z
    .string()
    .max(100)
    .optional()
    .describe("What is read: json (when absent), yaml, properties; any other is kept as a text."),
  timestampFormat: z
    .string()
    .max(1000)
    .optional()
    .describe("How times are written, as a Go layout; RFC 3339 when absent."),
  createFields: textList(4096, 100)
    .optional()
    .describe("JSONPaths to the time an item was made; the first that finds one counts."),
  deleteFields: textList(4096, 100)
    .optional()
    .describe("JSONPaths to the time an item was deleted; the first that finds one counts."),
  labels: labels.optional().describe("Labels of every item."),
  tags: tags
    .optional()
    .describe(
      `Tags of every item, at most ${mostTags}; a mapping of names to values is read, too.`,
    ),
  properties: z
    .array(property)
    .max(mostProperties)
    .optional()
    .describe("Properties of items, for their pages."),
  transform: transform.optional(),
} as const;

const scraperBase = z.looseObject(baseShape);
/** What a spec of any type holds. */
export type ScraperBase = z.output<typeof scraperBase>;
