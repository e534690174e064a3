import sql from "sql-template-tag";
import { cleanupJob } from "#platform/db/delete-in-portions.ts";

/** Days that changes are kept. */
export const KEPT_DAYS = 365;

export const forgetOldChanges = cleanupJob("CleanupAuditLog", "45 1 * * *", {
  table: "audit_log",
  where: sql`created_at < now() - make_interval(days => ${KEPT_DAYS})`,
});
