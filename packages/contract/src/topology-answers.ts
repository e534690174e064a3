import type { Health } from "./catalog.ts";

/** What the topology's own endpoints answer; rows of its tables are in `rows.ts`. */

/** How many of each: by the type of an incident or insight, then by its severity. */
export type CountsByType = Record<string, Record<string, number>>;

/** What a component comes to with all that hangs on it; each child counts once, as what is worst in it. */
export interface ComponentSummary {
  healthy?: number;
  unhealthy?: number;
  warning?: number;
  info?: number;
  unknown?: number;
  incidents?: CountsByType;
  insights?: CountsByType;
  /** By status. */
  checks?: Record<string, number>;
}

export interface PropertyLink {
  type?: string;
  url?: string;
  tooltip?: string;
  icon?: string;
  text?: string;
  label?: string;
}

export interface ComponentProperty {
  name?: string;
  label?: string;
  tooltip?: string;
  icon?: string;
  /** `url`, `badge`, `currency`, `text`, `age`, `hidden`. */
  type?: string;
  color?: string;
  order?: number;
  headline?: boolean;
  text?: string;
  value?: number;
  /** `milliseconds`, `bytes`, `millicores`, `epoch`, ... */
  unit?: string;
  min?: number;
  max?: number;
  status?: string;
  namespace?: string;
  url?: string;
  lastTransition?: string;
  links?: PropertyLink[];
}

/** Where a component's log lines are found. */
export interface LogSelector {
  name: string;
  type?: string;
  labels?: Record<string, string>;
}

/** What every component of an answer has; what is absent or null is not known. */
export interface TopologyNode {
  id: string;
  agent_id: string;
  topology_id?: string;
  external_id: string;
  /** Ids of those above it by `parent_id`, from the root, joined by dots; empty for a root. */
  path?: string;
  parent_id?: string;
  name: string;
  text?: string;
  icon?: string;
  type?: string;
  /** Any text. */
  status: string;
  status_reason?: string;
  health?: Health;
  owner?: string;
  namespace?: string;
  labels?: Record<string, string>;
  hidden?: true;
  is_leaf?: boolean;
  summary?: ComponentSummary;
  /** Its place among its siblings; smaller comes first. */
  order: number;
  /** All that hang directly below it, also those that are not in `components`. */
  children?: string[];
  /** All that it hangs directly below. */
  parents?: string[];
  components?: TopologyComponent[];
}

/** A root, its children, and every component of a flat answer. Those deeper down are `TopologyNode`s. */
export interface TopologyComponent extends TopologyNode {
  config_id?: string;
  topology_type?: string;
  description?: string;
  lifecycle?: string;
  tooltip?: string;
  schedule?: string;
  silenced?: true;
  properties?: ComponentProperty[];
  logs?: LogSelector[];
  selectors?: unknown[];
  configs?: unknown[];
  componentChecks?: unknown[];
  status_expr?: string;
  health_expr?: string;
  cost_per_minute?: number;
  cost_total_1d?: number;
  cost_total_7d?: number;
  cost_total_30d?: number;
  created_by?: string;
  created_at?: string;
  updated_at?: string;
  /** Its own, not those of its children, by status. */
  checks?: Record<string, number>;
  incidents?: CountsByType;
  /** Open insights of the items that are linked with it. */
  analysis?: CountsByType;
  /** Names of the teams that it belongs to. */
  teams?: string[];
}

/** `GET /api/topology` and `GET /api/canary/api/topology`. */
export interface TopologyAnswer {
  /** Of one id that is not there: none. */
  components: TopologyComponent[];
  /** What there is to filter by, of everything that was looked at before it was filtered. The first are statuses, not healths. */
  healthStatuses: string[];
  teams: string[];
  types: string[];
  /** By label. */
  tags: Record<string, string[]>;
}

/** By what the components of an answer are sorted, beside `field:<name of a property>`. */
export const topologyOrders = ["status", "name", "type", "created_at", "updated_at"] as const;
