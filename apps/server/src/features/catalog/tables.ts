import { table, type Table } from "#platform/table.ts";

export const tables: readonly Table[] = [
  table("config_items", { read: "config_scrapers" }),
  table("configs", { read: "config_scrapers" }),
];
