import type { Feature } from "#platform/feature.ts";
import sql from "sql-template-tag";
import { isAllowed } from "@mainstay/contract";
import type { Actor } from "#platform/context.ts";
import { table, type Table } from "#platform/table.ts";

export { grantRole } from "./grant-role.ts";
export { hasAdministrator, keepAdministrator, lockRoles, rolesOf } from "./administrators.ts";
export { setRoles } from "./set-roles.ts";

/** Everybody sees their own roles, which the console asks for; whose the others are is for who looks after users. */
const ownUnlessTrusted: Table["rowRule"] = (column, asker) => {
  const actor = asker as Actor;
  if (actor.kind !== "person") return actor.kind === "system" ? undefined : sql`false`;
  return isAllowed(actor.roles, "rbac", "read") ? undefined : sql`${column("id")} = ${actor.id}`;
};

/**
 * Which roles people have. They are changed by verbs only, of this feature and of people, and what they allow is the
 * matrix in the contract.
 */
export const roles: Feature = {
  name: "roles",
  rowsAbout: [{ table: "casbin_rule", kind: "person", id: "\"row\" ->> 'v0'" }],
  tables: [table("people_roles", { read: "database", rowRule: ownUnlessTrusted })],
  personal: [{ table: "people_roles", others: "rbac", decidesAccess: true }],
  views: new URL("./views.sql", import.meta.url),
};
