import type { ChangeSeverity } from "./catalog.ts";

/** What the catalog's own endpoints answer; rows of its tables are in `rows.ts`. */

/** Which items' changes are asked for beside those of the item itself. */
export const changeDirections = ["downstream", "upstream", "all", "none"] as const;

/** By what changes are sorted, upwards or (with `-` before it) downwards. */
export const changeOrders = [
  "name",
  "change_type",
  "summary",
  "source",
  "created_at",
  "count",
] as const;

/** Numbers of one group of items: `POST /api/catalog/summary`. Each tag by which is grouped is a key of its own. */
export interface CatalogGroup {
  /** Empty where it is not grouped by type. */
  type: string;
  count: number;
  health: Record<string, number>;
  created_at: string;
  updated_at: string | null;
  /** Changes in the time that was asked for. */
  changes?: number;
  /** Open insights by their type, where there are any. */
  analysis?: Record<string, number>;
  /** The same by type and severity: `{security: {high: 2}}`. */
  analysis_severity?: Record<string, Record<string, number>>;
  cost_1d?: number;
  cost_7d?: number;
  cost_30d?: number;
  cost_per_minute?: number;
  cost_total_1d?: number;
  cost_total_7d?: number;
  cost_total_30d?: number;
  [tag: string]: unknown;
}

/** One change with the item that it is of. */
export interface FoundChange {
  id: string;
  config_id: string;
  agent_id: string;
  name: string | null;
  type: string;
  tags: Record<string, string> | null;
  change_type: string | null;
  severity: string | null;
  source: string | null;
  summary: string | null;
  created_at: string;
  count: number;
  first_observed: string;
  created_by: string | null;
  external_created_by: string | null;
  external_change_id: string | null;
}

/** The answer of `/api/catalog/changes`; empty when nothing was found at all. */
export interface FoundChanges {
  /** How many of each type are on this page. */
  summary?: Record<string, number>;
  /** On all pages. */
  total?: number;
  /** There may be more: so many were counted while there was time. */
  total_is_least?: true;
  changes?: FoundChange[];
}

/** How many changes of each severity there were in one span of time; those without any are left out. */
export type ChangeCounts = { at: string } & Partial<Record<ChangeSeverity, number>>;

/** The answer of `/api/catalog/changes/timeline`. */
export interface ChangeTimeline {
  from: string;
  to: string;
  /** How long a span is. They begin at multiples of it, so the first may begin before the range. */
  step_ms: number;
  /** Those in which there were changes, in their order. */
  spans: ChangeCounts[];
}
