import { table, type Table } from "#platform/table.ts";

export const tables: readonly Table[] = [
  table("audit_log", { read: "audit" }),
  table("audit_entries", { read: "audit" }),
];
