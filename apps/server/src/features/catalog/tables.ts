import sql from "sql-template-tag";
import type { Actor } from "#platform/context.ts";
import { documentTable } from "#platform/documents/document-table.ts";
import { type RowFunction, table, type Table } from "#platform/table.ts";
import { searchable, searchCondition, searchedAs } from "#features/search/index.ts";
import { configItem } from "./resources.ts";
import { searchedInsights } from "./row-searches.ts";
import { scraperKind } from "./scrapers/scraper-kind.ts";

const read = { read: "config_scrapers" } as const;
const readConfigs = { resource: "config_scrapers" } as const;

const items = searchable(configItem);
/** What of an item its lists do not show, and searches may name. */
const unlisted = Object.fromEntries(
  ["config", "properties", "parent_id"].map((column) => [
    column,
    `(select whole.${column} from config_items whole where whole.id = config_items.id)`,
  ]),
);

/** What searches of items rest on that is no table of its own. */
const searchReads = [
  "config_change_sums",
  "config_item_owners",
  "config_tag_spellings",
  "config_label_spellings",
  "config_sources",
] as const;

/** What the data API shows of the catalog. Scrapers write it, and people link items to components. */
export const tables: readonly Table[] = [
  documentTable(scraperKind, { hidden: ["sealed", "kept_in"] }),
  table("config_items", read),
  // The open health page names the items that its checks are related to; nothing else of the catalog is open.
  table("configs", {
    read: "canaries",
    rowRule: (column, asker) =>
      (asker as Actor).kind === "anonymous"
        ? sql`exists (select from check_config_relationships r
                       where r.config_id = ${column("id")} and r.deleted_at is null)`
        : undefined,
    search: {
      read: "config_scrapers",
      reads: searchReads,
      condition: ({ text, alias, ...asked }) =>
        searchCondition(searchedAs(items, alias, unlisted), text, asked),
    },
  }),
  table("config_detail", read),
  table("config_names", read),
  table("config_types", read),
  table("config_classes", read),
  table("config_statuses", read),
  table("config_tags", read),
  table("config_labels", read),
  table("config_summary", read),
  table("config_class_summary", read),
  table("config_items_aws", read),
  table("config_changes", read),
  table("catalog_changes", read),
  table("change_types", read),
  table("config_changes_by_types", read),
  table("config_analysis", read),
  table("config_analysis_items", {
    ...read,
    search: {
      read: "config_scrapers",
      reads: searchReads,
      condition: ({ text, alias, ...asked }) =>
        searchCondition(searchedAs(searchedInsights, alias), text, asked),
    },
  }),
  table("config_analysis_analyzers", read),
  table("config_analysis_by_severity", read),
  table("analysis_by_config", read),
  table("analyzer_types", read),
  table("analysis_types", read),
  table("config_notes", read),
  table("config_relationships", read),
  table("config_scrapers_with_status", read),
  table("changes_by_component", read),
  table("analysis_by_component", read),
  table("analysis_summary_by_component", read),
  table("config_component_relationships", {
    read: "topologies",
    write: "topologies",
    writable: ["component_id", "config_id", "selector_id"],
    ignoreReadOnly: true,
  }),
];

/** What it can be asked that is no table. */
export const functions: readonly RowFunction[] = [
  { name: "related_configs_recursive", ...readConfigs },
  { name: "config_relationships_recursive", ...readConfigs },
  { name: "related_config_ids_recursive", ...readConfigs },
  { name: "related_changes_recursive", ...readConfigs },
  { name: "get_recursive_path", ...readConfigs },
  { name: "config_path", ...readConfigs },
  { name: "lookup_config_children", ...readConfigs },
  { name: "lookup_config_relations", ...readConfigs },
  { name: "lookup_analysis_by_component", ...readConfigs },
  { name: "lookup_changes_by_component", ...readConfigs },
  { name: "lookup_configs_by_component", ...readConfigs },
  { name: "lookup_components_by_config", ...readConfigs },
];
