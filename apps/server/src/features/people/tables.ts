import { table, type Table } from "#platform/table.ts";

/**
 * Names and addresses are for everybody who is signed in: teams show them, and people are chosen by them. What they keep
 * for themselves, and when they were here, is not. They are changed through endpoints of their own.
 */
export const tables: readonly Table[] = [
  table("people", {
    read: "database",
    hidden: ["external_id", "phone", "properties", "last_login"],
  }),
];
