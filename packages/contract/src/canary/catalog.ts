import { z } from "zod";
import { ResourceSelector } from "../resource-selector/resource-selector.ts";
import { commonShape } from "./fields.ts";

const { shape } = ResourceSelector;

/** Unknown keys are kept here as everywhere in documents; whoever selects takes the known ones. */
const selector = z
  .looseObject({
    agent: shape.agent.describe("self for this server's own, all, or an agent's id or name."),
    scope: shape.scope.describe("Id of the scraper that they come from."),
    cache: shape.cache.describe("Accepted and ignored."),
    search: shape.search.describe("A search, for example type=Kubernetes::Pod health=unhealthy."),
    limit: shape.limit.describe("Items at most."),
    includeDeleted: shape.includeDeleted.describe("Those that were deleted, too."),
    id: shape.id.describe("Ids, separated by commas."),
    name: shape.name.describe("Names, with * and !."),
    namespace: shape.namespace.describe("Namespaces, with * and !."),
    types: shape.types.describe("Types, with * and !."),
    statuses: shape.statuses.describe("States, with * and !."),
    health: shape.health.describe("healthy, unhealthy, warning or unknown."),
    labelSelector: shape.labelSelector.describe("Labels, as Kubernetes selects them."),
    tagSelector: shape.tagSelector.describe("Tags, as Kubernetes selects labels."),
    fieldSelector: shape.fieldSelector.describe("Fields, as Kubernetes selects labels."),
  })
  .describe("What is selected; everything that is said must hold.");

export const catalogSpec = z
  .looseObject({
    ...commonShape,
    selector: z
      .array(selector)
      .min(1, "Say what is selected.")
      .max(50)
      .optional()
      .describe("Which items; those that any of them selects."),
    query: z.string().max(262_144).optional().describe("Of older documents. Not supported."),
  })
  .superRefine((spec, context) => {
    if (!spec.selector && !spec.query)
      context.addIssue({ code: "custom", path: [], message: "A catalog check needs a selector." });
  })
  .describe("Items of the catalog, which a test judges.");

export type CatalogSpec = z.output<typeof catalogSpec>;
