import type { Feature } from "#platform/feature.ts";
import { table } from "#platform/table.ts";
import { forgetOldChanges } from "./forget-old-changes.ts";

/** Who changed what. Triggers write it, administrators read it, nobody changes it. */
export const audit: Feature = {
  name: "audit",
  tables: [table("audit_log", { read: "audit" }), table("audit_entries", { read: "audit" })],
  schedules: [forgetOldChanges],
  views: new URL("views.sql", import.meta.url),
};

export { recordRun } from "./record-run.ts";
