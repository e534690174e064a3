import type { OwnField } from "#platform/resource.ts";

/** What items can be searched by beside their columns. */

const insights = "config_analysis a where a.config_id = config_items.id and a.status = 'open'";
const changes = "config_changes c where c.config_id = config_items.id";

const owners = "config_item_owners o where o.config_id = config_items.id";
/** Both are looked for as something that there is: what there is not would be looked up for each item. */
const isOwned = `exists (select from ${owners} and o.owners <> '{}')`;
const isUnowned = `exists (select from ${owners} and o.owners = '{}')`;
const hasChanges =
  "exists (select from config_change_sums t where t.config_id = config_items.id and t.total > 0)";
const hasInsights = `exists (select from ${insights})`;

export const itemFields: Readonly<Record<string, OwnField>> = {
  text: {
    type: "anywhere",
    of: [
      "config_items.name",
      "config_items.type",
      "config_items.description",
      "config_items.tags ->> 'namespace'",
    ],
  },
  /** In the last 30 days, as the list counts them. */
  changes: {
    type: "count",
    counted: "select t.config_id as id, t.total as n from config_change_sums t where t.total > 0",
  },
  changed: { type: "last", of: "c.created_at", from: changes },
  /** Open ones. */
  insights: {
    type: "count",
    counted:
      "select a.config_id as id, count(*) as n from config_analysis a where a.status = 'open' group by a.config_id",
  },
  insight: { type: "some", of: "coalesce(a.analysis_type, 'other')", from: insights },
  severity: { type: "some", of: "coalesce(a.severity, 'info')", from: insights },
  owner: { type: "texts", of: "o.owners", from: owners },
  has: {
    type: "words",
    words: {
      changes: hasChanges,
      insights: hasInsights,
      owner: isOwned,
      cost: "config_items.cost_total_30d > 0",
    },
  },
  is: {
    type: "words",
    words: {
      deleted: "config_items.deleted_at is not null",
      owned: isOwned,
      unowned: isUnowned,
    },
  },
};
