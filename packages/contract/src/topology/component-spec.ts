import { z } from "zod";
import { labels, longestName } from "../documents/metadata.ts";
import { refersTo } from "../documents/json-schema.ts";
import { selectorFields } from "../resource-selector/selector-fields.ts";
import { configQuery, lookupSpec, componentProperty, template } from "./property-spec.ts";

const longestText = 65_536;
const longestScript = 262_144;
const short = z.string().max(longestName);

/** Entries of one list of a component. */
const most = 1000;

export const selector = z
  .looseObject(selectorFields)
  .describe("What is selected; everything that is said must hold.");

export const componentCheck = z
  .looseObject({
    selector: selector.optional().describe("Checks that there are already."),
    inline: lookupSpec.optional().describe("Checks of this component, run like those of a canary."),
  })
  .describe("Checks that take part in the health of the component.");
export type ComponentCheck = z.output<typeof componentCheck>;

export const logSelector = z.looseObject({
  name: short.optional().describe("What the selection is called on the page of logs."),
  type: short.optional().describe("Type of the component that the logs are of."),
  labels: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String))
    .optional()
    .describe("Labels of the lines; templates see the component."),
});

export const relationshipSpec = z.looseObject({
  type: short.optional().describe("What the relationship is."),
  ref: short.optional().describe("Name or external id of another component of the topology."),
});

export const parentLookup = z
  .looseObject({
    name: short.optional().describe("Name of the parent."),
    namespace: short.optional().describe("Its namespace."),
    type: short.optional().describe("Its type."),
    externalID: z.string().max(4096).optional().describe("Its external id, which says it alone."),
  })
  .describe("Another parent than the one that it is written under.");

export const summaryCounts = z
  .looseObject({
    healthy: z.int().min(0).optional().describe("Healthy parts."),
    unhealthy: z.int().min(0).optional().describe("Unhealthy parts."),
    warning: z.int().min(0).optional().describe("Parts with a warning."),
    info: z.int().min(0).optional().describe("Parts with something to know."),
    incidents: z.looseObject({}).optional().describe("Incidents: {type: {severity: count}}."),
    insights: z.looseObject({}).optional().describe("Insights: {type: {severity: count}}."),
    checks: z.looseObject({}).optional().describe("Checks: {status: count}."),
  })
  .describe("What the component comes to, told and not counted.");

/** What a component says beside its parts; the same in documents and in what lookups find. */
export const componentFields = {
  namespace: short.optional().describe("Its namespace; that of the document when absent."),
  text: z.string().max(longestText).optional().describe("What it is called on the screen."),
  description: z.string().max(longestText).optional().describe("What it is, for people."),
  tooltip: z.string().max(longestText).optional().describe("More about it."),
  icon: short.optional().describe("Icon to show."),
  owner: short.optional().describe("Who owns it."),
  externalID: z
    .string()
    .max(4096)
    .optional()
    .describe("Its id where it comes from; its name when absent."),
  order: z.int().optional().describe("Smaller ones come first."),
  labels: labels.optional().describe("Its labels, over those of the document."),
  hidden: z
    .boolean()
    .optional()
    .describe("It is shown only to whoever wants to see what is hidden."),
  type: short.optional().describe("Its type; one that is virtual gives way to its children."),
  lifecycle: short.optional().describe("Where it is in its life: production, for example."),
  logs: z.array(logSelector).max(most).nullish().describe("Where its logs are."),
  statusExpr: z
    .string()
    .max(longestScript)
    .optional()
    .describe("CEL expression or Go template over `summary` that gives the status."),
  healthExpr: z
    .string()
    .max(longestScript)
    .optional()
    .describe("CEL expression or Go template over `summary` and `self` that gives the health."),
  status: z.string().max(4096).optional().describe("Its own status."),
  health: short.optional().describe("Its own health: healthy, unhealthy, warning or unknown."),
  summary: summaryCounts.optional(),
  configID: z.string().max(longestName).optional().describe("Id of the catalog item that it is."),
  parentLookup: parentLookup.optional(),
  relationships: z.array(relationshipSpec).max(most).nullish().describe("What else it belongs to."),
  selectors: z.array(selector).max(most).nullish().describe("Components that belong below it."),
  configs: z.array(configQuery).max(most).nullish().describe("Catalog items that belong to it."),
  checks: z.array(componentCheck).max(most).nullish().describe("Its checks."),
} as const;

/** A component within another one. */
export const nestedComponent = refersTo("Component", () => componentSpec);

const parts = {
  properties: z
    .array(componentProperty)
    .max(most)
    .nullish()
    .describe("What there is to say of it."),
  components: z.array(nestedComponent).max(most).nullish().describe("What it is made of."),
} as const;

export const forEachSpec = z
  .looseObject({
    ...parts,
    configs: componentFields.configs,
    selectors: componentFields.selectors,
    relationships: componentFields.relationships,
    checks: componentFields.checks,
  })
  .describe(
    "What each component that the lookup finds gets; templates see it: $(.component.name), $(.properties.owner).",
  );

export const componentSpec = z
  .looseObject({
    name: z.string().max(longestName).optional().describe("Name of the component."),
    ...componentFields,
    id: template("Script over `self` and `properties` that gives the external id.").optional(),
    ...parts,
    lookup: lookupSpec
      .optional()
      .describe("Checks that find components: each result that is an object with a name is one."),
    forEach: forEachSpec.optional(),
  })
  .describe("A component, or what finds components.");
export type ComponentSpec = z.output<typeof componentSpec>;
export type ForEachSpec = z.output<typeof forEachSpec>;
