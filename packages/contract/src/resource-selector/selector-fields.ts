import { ResourceSelector } from "./resource-selector.ts";

const { shape } = ResourceSelector;

/** The fields of a selector as documents describe them. */
export const selectorFields = {
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
} as const;
