import sql from "sql-template-tag";
import { table, type Table } from "#platform/table.ts";
import { documentTable } from "#platform/documents/document-table.ts";
import { canaryKind } from "./documents/canary-kind.ts";

const read = { read: "canaries" } as const;

/** What the data API shows of health. Only canaries are written: everything else follows from them and from results. */
export const tables: readonly Table[] = [
  documentTable(canaryKind),
  table("canaries_with_status", read),
  table("checks", read),
  table("check_statuses", read),
  table("check_statuses_5m", read),
  table("check_statuses_1h", read),
  table("check_statuses_1d", read),
  table("check_names", read),
  table("check_labels", read),
  table("check_summary", read),
  table("check_summary_for_config", read),
  table("check_summary_by_component", read),
  table("check_summary_by_config", read),
  table("check_status_summary_hour", read),
  // Those of playbooks' actions are for whoever may read these, and there are none yet.
  table("artifacts", {
    ...read,
    rowRule: (column) =>
      sql`${column("check_id")} is not null and ${column("deleted_at")} is null
          and (${column("expires_at")} is null or ${column("expires_at")} > now())`,
  }),
  table("checks_status_artifacts", read),
  table("checks_by_component", read),
  table("checks_by_config", read),
  table("check_component_relationships", read),
  table("check_config_relationships", read),
];
