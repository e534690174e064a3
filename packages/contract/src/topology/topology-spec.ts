import { z } from "zod";
import { scheduleText } from "../canary/fields.ts";
import { httpConnectionShape } from "../canary/http-connection.ts";
import { documentEnvelope, documentMetadata, longestName } from "../documents/metadata.ts";
import { componentSpec, selector } from "./component-spec.ts";
import { configQuery, componentProperty, template } from "./property-spec.ts";

/** How often components are looked up, where the document does not say it. */
export const defaultTopologySchedule = "@every 10m";

const short = z.string().max(longestName);
const longestText = 65_536;
const longestScript = 262_144;

export const topologySpec = z.looseObject({
  type: short.optional().describe("Type of the topology's own component."),
  schedule: scheduleText
    .optional()
    .describe(
      `When components are looked up: five-field cron, @every 5m, @hourly, @daily or @never; ${defaultTopologySchedule} when absent.`,
    ),
  id: template("Script over `self` and `properties` that gives the external id.").optional(),
  tooltip: z.string().max(longestText).optional().describe("More about it."),
  icon: short.optional().describe("Icon to show."),
  text: short
    .optional()
    .describe("What it is called on the screen; the document's name when absent."),
  label: short.optional().describe("Accepted: a label of older documents."),
  owner: short.optional().describe("Who owns it."),
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
  components: z.array(componentSpec).max(1000).nullish().describe("What it is made of."),
  properties: z
    .array(componentProperty)
    .max(1000)
    .nullish()
    .describe("What there is to say of it."),
  configs: z.array(configQuery).max(1000).nullish().describe("Catalog items that belong to it."),
  groupBy: z
    .looseObject({
      tag: z
        .string()
        .min(1, "Say which tag.")
        .max(longestName)
        .describe("Tag of catalog items; there is one tree for each of its values."),
      selector: selector.optional().describe("Of these items only."),
    })
    .optional()
    .describe("One tree for each value of a tag."),
  push: z
    .looseObject(httpConnectionShape)
    .optional()
    .describe("Another server that the components are sent to after each run."),
});
export type TopologySpec = z.output<typeof topologySpec>;

export const topologyApiVersion = "canaries.flanksource.com/v1";

export const topologyEnvelope = documentEnvelope({
  kind: "Topology",
  apiVersions: [topologyApiVersion],
  metadata: documentMetadata.extend({
    labels: documentMetadata.shape.labels.describe("Labels of all components of this document."),
  }),
  spec: topologySpec.describe("What there is, and what it is made of."),
});
