import { isAllowed } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Actor } from "#platform/context.ts";
import { table, type Table } from "#platform/table.ts";

/** Everybody sees their own roles, which the console asks for; whose the others are is for who looks after users. */
const ownUnlessTrusted: Table["rowRule"] = (column, asker) => {
  const actor = asker as Actor;
  if (actor.kind !== "person") return actor.kind === "system" ? undefined : sql`false`;
  return isAllowed(actor.roles, "rbac", "read") ? undefined : sql`${column("id")} = ${actor.id}`;
};

export const tables: readonly Table[] = [
  table("people_roles", { read: "database", rowRule: ownUnlessTrusted }),
];
