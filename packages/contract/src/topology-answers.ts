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
  hidden?: boolean;
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

/** How long it is kept how components were. */
export const componentPastDays = 30;

/** How a component was. */
export interface ComponentState {
  id: string;
  health: Health | null;
  status: string | null;
  /** It has been so from then on. */
  since: string;
  /** Of one that is there no more. */
  gone?: { name: string; type?: string; icon?: string; parent_id?: string };
}

/** `GET /api/topology/states?at=`: every component that was there. */
export interface TopologyStates {
  at: string;
  /** Before that nothing is known; null where nothing is known at all. */
  since: string | null;
  components: ComponentState[];
}

/** How many components turned in one step of time, by what they turned to; nothing where none did. */
export type TopologyTurns = { at: string } & Partial<Record<Health, number>>;

/** `GET /api/topology/states/turns?from=&to=&steps=`: when something turned, for a slider. */
export interface TopologyMoments {
  from: string;
  to: string;
  stepMs: number;
  since: string | null;
  /** Oldest first. */
  turns: TopologyTurns[];
}

/** What is explained. */
export const explainedKinds = ["component", "check", "config"] as const;
export type ExplainedKind = (typeof explainedKinds)[number];

/** A step from what is explained towards a cause. */
export interface CauseStep {
  kind: ExplainedKind;
  id: string;
  name: string;
  health: Health | null;
  since?: string;
}

/** Why something is as it is, or what is seen where it is so. */
export interface Cause {
  /**
   * `check`: one that fails. `source`: what brought the component, or scraped the item, says so. `script`: its own script
   * says so. `fault`: its own script failed. `item`: a linked item is so. `insight`: a grave one is open.
   */
  kind: "check" | "source" | "script" | "fault" | "item" | "insight";
  /** Of the check, the item, or the insight; else of the component that it is about. */
  id: string;
  name: string;
  type?: string;
  health?: Health;
  /** Since when it is so, where that is known. */
  since?: string;
  message?: string;
  /** It makes it so; else it is only seen where it is so. */
  isReason: boolean;
  /** From what is explained to where this is. */
  path: CauseStep[];
}

/** A change of an item before it turned. */
export interface ChangeBefore {
  id: string;
  config_id: string;
  config_name: string | null;
  config_type: string;
  change_type: string | null;
  severity: string | null;
  summary: string | null;
  source: string | null;
  created_at: string;
  created_by: string | null;
  external_created_by: string | null;
  /** The item itself is linked with what is explained or with a cause; else it is related to one that is. */
  isLinked: boolean;
}

/** `GET /api/explain/{component|check|config}/{id}`. */
export interface Explanation {
  kind: ExplainedKind;
  id: string;
  name: string;
  health: Health;
  status: string | null;
  since?: string;
  /** One sentence; all there is to say of what is well. */
  text: string;
  isWell: boolean;
  /** Those that make it so first. */
  causes: Cause[];
  /** There are more causes than are told. */
  hasMoreCauses: boolean;
  /** Newest first: what happened in the hour before it turned. */
  changes: ChangeBefore[];
  hasMoreChanges: boolean;
  /** The hour in which changes were looked for. */
  changesFrom?: string;
  changesTo?: string;
}
