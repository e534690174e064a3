import sql from "sql-template-tag";
import type { Actor } from "#platform/context.ts";
import { documentTable } from "#platform/documents/document-table.ts";
import { type RowFunction, table, type Table } from "#platform/table.ts";
import { topologyKind } from "./documents/topology-kind.ts";

const read = { read: "topologies" } as const;

/** What the data API shows of the topology. */
export const tables: readonly Table[] = [
  documentTable(topologyKind, { hidden: ["sealed", "kept_in"] }),
  // The open health page names the components that its checks are related to; nothing else of the topology is open.
  table("components", {
    read: "canaries",
    hidden: ["given_status", "given_health", "given_summary", "position", "roll_up_fault"],
    rowRule: (column, asker) =>
      (asker as Actor).kind === "anonymous"
        ? sql`exists (select from check_component_relationships r
                       where r.component_id = ${column("id")} and r.deleted_at is null)`
        : undefined,
  }),
  table("component_relationships", read),
  table("team_components", read),
  table("topology", read),
  table("topologies_with_status", read),
  table("component_names", read),
  table("component_names_all", read),
  table("component_labels", read),
  table("component_types", read),
  table("components_with_logs", read),
];

const resource = { resource: "topologies" } as const;

/** What it can be asked that is no table. */
export const functions: readonly RowFunction[] = [
  { name: "lookup_component_children", ...resource },
  { name: "lookup_component_relations", ...resource },
  { name: "lookup_components_by_check", ...resource },
  { name: "lookup_component_by_property", ...resource },
  { name: "lookup_component_names", ...resource },
  { name: "lookup_component_config_id_related_components", ...resource },
  { name: "check_summary_for_component", ...resource },
];
