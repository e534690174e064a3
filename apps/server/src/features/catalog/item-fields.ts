import { ownerKeys } from "@mainstay/contract";
import type { OwnField } from "#platform/resource.ts";

/** What items can be searched by beside their columns. */

const insights = "config_analysis a where a.config_id = config_items.id and a.status = 'open'";
const changes = "config_changes c where c.config_id = config_items.id";

/** The last word of a key, without what separates its parts: `backstage.io/on-call` is `oncall`. */
const isOwnerKey = (key: string) =>
  `regexp_replace(lower(regexp_replace(${key}, '^.*/', '')), '[^a-z]', '', 'g') = any ('{${ownerKeys.join()}}'::text[])`;

const pairsOf = (map: string) =>
  `select key, value from jsonb_each_text(case jsonb_typeof(${map}) when 'object' then ${map} end)`;
/** Every label, tag, annotation and property that an item has, as the page of an item reads them. */
const said = `(${[
  ...[
    "config_items.labels",
    "config_items.tags",
    "config_items.config #> '{metadata,annotations}'",
  ].map(pairsOf),
  `select coalesce(p ->> 'name', p ->> 'label'), coalesce(p ->> 'text', p ->> 'value')
     from jsonb_array_elements(case jsonb_typeof(config_items.properties) when 'array' then config_items.properties end) p`,
].join(" union all ")}) said (key, value)`;
const owners = `${said} where ${isOwnerKey("said.key")} and btrim(said.value) <> ''`;

/** Both are looked for as something that there is: what there is not would be looked up for each item. */
const hasOwned = (isSo: string) =>
  `exists (select from config_item_owned o where o.config_id = config_items.id and ${isSo})`;
const isOwned = hasOwned("o.is_owned");
const isUnowned = hasOwned("not o.is_owned");
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
  owner: { type: "some", of: "said.value", from: owners },
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
