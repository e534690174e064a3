import { table, type Table } from "#platform/table.ts";

export const tables: readonly Table[] = [
  table("integrations_with_status", { read: "integrations" }),
];
