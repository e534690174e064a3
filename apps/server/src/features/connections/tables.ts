import { documentTable } from "#platform/documents/document-table.ts";
import { table, type Table } from "#platform/table.ts";
import { completeRows, strayProperties } from "./complete-row.ts";
import { connectionKind } from "./connection-kind.ts";

const rows = documentTable(connectionKind, { hidden: ["sealed", "kept_in"] });

export const tables: readonly Table[] = [
  {
    ...rows,
    accepts: strayProperties,
    beforeWrite: async (write) => rows.beforeWrite!({ ...write, rows: await completeRows(write) }),
  },
  table("connections_list", { read: "connections" }),
  table("connection_details", { read: "connections" }),
];
