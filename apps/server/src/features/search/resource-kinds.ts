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

/** What the selectors of a kind can name. Columns are names of ours, never what somebody sent. */
export interface KindOfResource {
  table: string;
  /** The row of the permission matrix. */
  read: Resource;
  /** The columns of its table that can be named. */
  fields: Readonly<Record<string, FieldType>>;
  aliases: Readonly<Record<string, string>>;
  /** Columns that readers see otherwise than they are stored, as SQL. */
  shown?: Readonly<Record<string, string>>;
  /** Where the namespace is, as SQL. */
  namespace: string;
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

const common = {
  id: "id",
  name: "text",
  agent_id: "agent",
  created_at: "date",
  updated_at: "date",
  deleted_at: "date",
} as const satisfies Record<string, FieldType>;
const commonAliases = {
  created: "created_at",
  updated: "updated_at",
  deleted: "deleted_at",
  agent: "agent_id",
};

export const kindsOfResource: Record<ResourceKind, KindOfResource> = {
  checks: {
    table: "checks",
    read: "canaries",
    fields: {
      ...common,
      namespace: "text",
      canary_id: "id",
      type: "text",
      status: "health",
      severity: "text",
      owner: "text",
      last_runtime: "date",
      last_transition_time: "date",
      spec: "json",
    },
    aliases: { ...commonAliases, health: "status", check_type: "type" },
    shown: { status: "case when checks.result_due < now() then 'unknown' else checks.status end" },
    namespace: "checks.namespace",
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
      namespace: "text",
      topology_id: "id",
      parent_id: "id",
      external_id: "text",
      type: "text",
      status: "text",
      health: "health",
      owner: "text",
      topology_type: "text",
      lifecycle: "text",
      summary: "json",
    },
    aliases: { ...commonAliases, component_type: "type" },
    namespace: "components.namespace",
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
      source: "text",
      type: "type",
      status: "text",
      health: "health",
      external_id: "texts",
      config_class: "text",
      scraper_id: "id",
      parent_id: "id",
      config: "json",
    },
    aliases: { ...commonAliases, config_type: "type" },
    namespace: "config_items.tags ->> 'namespace'",
    maps: ["labels", "tags"],
    hasProperties: true,
    hasFieldSelector: true,
    scope: { column: "scraper_id", called: "scraper" },
  },
};
