import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

export { grantRole } from "./grant-role.ts";
export { hasAdministrator, keepAdministrator, lockRoles, rolesOf } from "./administrators.ts";
export { setRoles } from "./set-roles.ts";

/**
 * Which roles people have. They are changed by verbs only, of this feature and of people, and what they allow is the
 * matrix in the contract.
 */
export const roles: Feature = {
  name: "roles",
  rowsAbout: [{ table: "casbin_rule", kind: "person", id: "\"row\" ->> 'v0'" }],
  tables,
  personal: [{ table: "people_roles", others: "rbac", decidesAccess: true }],
  views: new URL("./views.sql", import.meta.url),
};
