import type { Resource, ResourceKind } from "@mainstay/contract";

/** How a field is compared. */
export type FieldType =
  | "text"
  /** Texts of the form `Kubernetes::Pod`, which `pod` names too. */
  | "type"
  /** Nothing in it is `unknown`. */
  | "health"
  | "id"
  | "agent"
  | "date"
  | "texts"
  /** JSON, of which a path is compared. */
  | "json";

export interface Field {
  /** Of the kind's table. */
  column: string;
  type: FieldType;
}

/** What the selectors of a kind can name. Columns are names of ours, never what somebody sent. */
export interface KindOfResource {
  table: string;
  /** The row of the permission matrix. */
  read: Resource;
  fields: Readonly<Record<string, Field>>;
  aliases: Readonly<Record<string, string>>;
  /** Where the namespace is, as SQL. */
  namespace: string;
  icon: string;
  /** Maps of text to text. */
  maps: readonly ("labels" | "tags")[];
  /** A list of `{name, text}`, in which every unknown field is looked up. */
  hasProperties: boolean;
  /** Whether Kubernetes' field selectors apply. */
  hasFieldSelector: boolean;
  scope: {
    column: string;
    /** The table in which `namespace/name` is looked up; none yet for the others. */
    table?: string;
    called: string;
  };
}

const dates = {
  created_at: { column: "created_at", type: "date" },
  updated_at: { column: "updated_at", type: "date" },
  deleted_at: { column: "deleted_at", type: "date" },
} as const satisfies Record<string, Field>;
const dateAliases = { created: "created_at", updated: "updated_at", deleted: "deleted_at" };
const common = {
  id: { column: "id", type: "id" },
  name: { column: "name", type: "text" },
  agent_id: { column: "agent_id", type: "agent" },
  ...dates,
} as const satisfies Record<string, Field>;
const commonAliases = { ...dateAliases, agent: "agent_id" };

export const kindsOfResource: Record<ResourceKind, KindOfResource> = {
  checks: {
    table: "checks",
    read: "canaries",
    fields: {
      ...common,
      namespace: { column: "namespace", type: "text" },
      canary_id: { column: "canary_id", type: "id" },
      type: { column: "type", type: "text" },
      status: { column: "status", type: "health" },
      severity: { column: "severity", type: "text" },
      owner: { column: "owner", type: "text" },
      last_runtime: { column: "last_runtime", type: "date" },
      last_transition_time: { column: "last_transition_time", type: "date" },
      spec: { column: "spec", type: "json" },
    },
    aliases: { ...commonAliases, health: "status", check_type: "type" },
    namespace: "checks.namespace",
    icon: "checks.icon",
    maps: ["labels"],
    hasProperties: false,
    hasFieldSelector: false,
    scope: { column: "canary_id", table: "canaries", called: "canary" },
  },
  components: {
    table: "components",
    read: "topologies",
    fields: {
      ...common,
      namespace: { column: "namespace", type: "text" },
      topology_id: { column: "topology_id", type: "id" },
      parent_id: { column: "parent_id", type: "id" },
      external_id: { column: "external_id", type: "text" },
      type: { column: "type", type: "text" },
      status: { column: "status", type: "text" },
      health: { column: "health", type: "health" },
      owner: { column: "owner", type: "text" },
      topology_type: { column: "topology_type", type: "text" },
      lifecycle: { column: "lifecycle", type: "text" },
      summary: { column: "summary", type: "json" },
    },
    aliases: { ...commonAliases, component_type: "type" },
    namespace: "components.namespace",
    icon: "components.icon",
    maps: ["labels"],
    hasProperties: true,
    hasFieldSelector: true,
    scope: { column: "topology_id", called: "topology" },
  },
  configs: {
    table: "config_items",
    read: "config_scrapers",
    fields: {
      ...common,
      source: { column: "source", type: "text" },
      type: { column: "type", type: "type" },
      status: { column: "status", type: "text" },
      health: { column: "health", type: "health" },
      external_id: { column: "external_id", type: "texts" },
      config_class: { column: "config_class", type: "text" },
      scraper_id: { column: "scraper_id", type: "id" },
      parent_id: { column: "parent_id", type: "id" },
      config: { column: "config", type: "json" },
    },
    aliases: { ...commonAliases, config_type: "type" },
    namespace: "config_items.tags ->> 'namespace'",
    icon: "config_items.icon",
    maps: ["labels", "tags"],
    hasProperties: true,
    hasFieldSelector: true,
    scope: { column: "scraper_id", called: "scraper" },
  },
};
