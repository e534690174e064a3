import { table, type Table } from "#platform/table.ts";

/** Names are for everybody who is signed in; they are changed through endpoints of their own. */
export const tables: readonly Table[] = [
  table("people", { read: "database", hidden: ["external_id"] }),
];
