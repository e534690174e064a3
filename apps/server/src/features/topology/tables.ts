import { table, type Table } from "#platform/table.ts";

export const tables: readonly Table[] = [table("components", { read: "topologies" })];
