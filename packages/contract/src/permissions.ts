/**
 * The role matrix of the product: who may read and write which resource.
 * One declaration, read by the server (which enforces it) and by the console (which hides what would be refused).
 * Source: product specification, document 1, section 6; three are beyond it, all for administrators: `audit`
 * is what people did, `security` what weakens the server, and `server_code` (written) lets somebody save and try
 * documents that reach into the server's own machine: programs, local folders and files, sockets.
 */

export const roles = ["admin", "editor", "commander", "responder", "viewer"] as const;
export type Role = (typeof roles)[number];

export const resources = [
  "database",
  "rbac",
  "auth",
  "responder",
  "incident",
  "evidences",
  "comments",
  "canaries",
  "topologies",
  "config_scrapers",
  "identities",
  "connections",
  "kratos",
  "agents",
  "feature_flags",
  "logging_backends",
  "integrations",
  "notifications",
  "playbooks",
  "playbook_runs",
  "audit",
  "security",
  "server_code",
] as const;
export type Resource = (typeof resources)[number];

export type Action = "read" | "write";

const forAdministrators: readonly Resource[] = ["audit", "security", "server_code"];
const sensitive: readonly Resource[] = ["rbac", "identities", "connections", ...forAdministrators];
const response: readonly Resource[] = ["responder", "incident", "evidences", "comments"];

const everythingBut = (left: readonly Resource[]): readonly Resource[] =>
  resources.filter((resource) => !left.includes(resource));

export const roleMatrix: Record<Role, Record<Action, readonly Resource[]>> = {
  admin: { read: resources, write: resources },
  editor: { read: everythingBut(forAdministrators), write: everythingBut(sensitive) },
  commander: { read: everythingBut(sensitive), write: response },
  responder: { read: everythingBut(sensitive), write: response },
  viewer: { read: everythingBut(sensitive), write: [] },
};

/** The roles that may run a check on demand (document 1, section 6): everyone but a viewer. */
export const runCheckRoles: readonly Role[] = ["admin", "editor", "commander", "responder"];

/** The roles in force for a person: someone without any is a viewer; unknown names grant nothing. */
export function effectiveRoles(granted: readonly string[]): Role[] {
  const known = roles.filter((role) => granted.includes(role));
  return known.length > 0 ? known : ["viewer"];
}

/** What a server's settings change in the matrix. */
export interface MatrixSettings {
  /** The roles that have `server_code`; administrators have it always. */
  codeRoles: readonly Role[];
}

/** Whether any of the roles allows the action on the resource. */
export function isAllowed(
  granted: readonly Role[],
  resource: Resource,
  action: Action,
  settings?: MatrixSettings,
): boolean {
  return granted.some(
    (role) =>
      roleMatrix[role][action].includes(resource) ||
      (resource === "server_code" && settings?.codeRoles.includes(role) === true),
  );
}
