import { effectiveRoles, isAllowed, resources, type Role, roles } from "./permissions.ts";

/**
 * Access tokens: what programs sign in with. A personal token acts for its owner with at most its owner's rights, a
 * service token for a service that has roles of its own.
 */

export const tokenKinds = ["personal", "service", "kubeconfig", "agent"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** One entry of `GET /api/auth/tokens`. */
export interface AccessToken {
  id: string;
  name: string;
  kind: TokenKind;
  person: { id: string; name: string };
  /** What it was limited to; null when it may do whatever its owner may. */
  roles: Role[] | null;
  /** What it may do now. */
  effective_roles: Role[];
  created_at: string;
  created_by: { id: string; name: string } | null;
  /** Null when it never expires. */
  expires_at: string | null;
  last_used_at: string | null;
}

/** Body of `POST /api/auth/tokens`. */
export interface NewAccessToken {
  name: string;
  kind?: "personal" | "service";
  /** Needed for a service token; null or absent for whatever the owner may do. */
  roles?: Role[] | null;
  /** Absent: in `DEFAULT_TOKEN_DAYS`; null: never. */
  expires_at?: string | null;
}

/** The token's text is in this answer and nowhere else. */
export type CreatedAccessToken = AccessToken & { access_token: string };

export const DEFAULT_TOKEN_DAYS = 90;
export const MAX_TOKEN_NAME_LENGTH = 100;
/** Of one person. */
export const MAX_TOKENS = 100;

const everyAction = resources.flatMap((resource) =>
  (["read", "write"] as const).map((action) => ({ resource, action })),
);

/** For each role those that may do everything that it may, and more. */
const above = Object.fromEntries(
  roles.map((lower) => {
    const may = (role: Role) =>
      everyAction.map(({ resource, action }) => isAllowed([role], resource, action));
    const own = may(lower);
    const outranks = (upper: Role) => {
      const theirs = may(upper);
      return (
        theirs.every((can, at) => can || !own[at]) && theirs.some((can, at) => can && !own[at])
      );
    };
    return [lower, roles.filter(outranks)];
  }),
) as Record<Role, Role[]>;

const holds = (held: readonly Role[], role: Role): boolean =>
  held.some((one) => one === role || above[role].includes(one));

/** The roles that somebody may hand on to a token: those they have and those below. */
export const grantableRoles = (own: readonly Role[]): Role[] =>
  roles.filter((role) => holds(own, role));

/** The roles of a token that is limited to some, now that its owner has these: never more than either. */
export function narrowRoles(owner: readonly Role[], limit: readonly Role[] | null): Role[] {
  if (limit === null) return effectiveRoles(owner);
  return effectiveRoles(
    [...owner, ...limit].filter((role) => holds(owner, role) && holds(limit, role)),
  );
}
