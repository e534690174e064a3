import sql from "sql-template-tag";
import type { Actor } from "#platform/context.ts";
import { table, type Table } from "#platform/table.ts";

const read = { read: "topologies" } as const;

/** What the data API shows of the topology. */
export const tables: readonly Table[] = [
  table("topologies", { ...read, hidden: ["sealed", "kept_in"] }),
  // The open health page names the components that its checks are related to; nothing else of the topology is open.
  table("components", {
    read: "canaries",
    hidden: ["given_status", "given_health", "given_summary", "position"],
    rowRule: (column, asker) =>
      (asker as Actor).kind === "anonymous"
        ? sql`exists (select from check_component_relationships r
                       where r.component_id = ${column("id")} and r.deleted_at is null)`
        : undefined,
  }),
  table("component_relationships", read),
  table("team_components", read),
];
