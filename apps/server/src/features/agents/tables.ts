import { table, type Table } from "#platform/table.ts";

export const tables: readonly Table[] = [
  table("agents", {
    read: "agents",
    columns: [
      "id",
      "name",
      "description",
      "created_at",
      "updated_at",
      "deleted_at",
      "last_seen",
      "last_received",
    ],
  }),
];
