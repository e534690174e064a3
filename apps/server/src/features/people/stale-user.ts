import { effectiveRoles } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { StoredIdentity } from "#features/identity/index.ts";
import type { Queryable } from "#platform/db/database.ts";
import { conflict, invalid } from "#platform/errors.ts";
import type { Fields } from "./person-input.ts";

/** A user as they were when somebody began to edit them. */
export interface SeenUser {
  firstName?: string;
  lastName?: string;
  email?: string;
  active?: boolean;
  roles?: string[];
}

/** `seen` of a body; without it the edit counts whatever has changed meanwhile. */
export function readSeen({ seen }: Fields): SeenUser | undefined {
  if (seen === undefined || seen === null) return undefined;
  if (typeof seen === "object" && !Array.isArray(seen)) return seen;
  throw invalid("seen must be an object.", [{ path: "seen", message: "seen must be an object." }]);
}

/** Refuses to overwrite what the editor has not seen. What `seen` does not name is not compared. */
export async function refuseStale(
  tx: Queryable,
  seen: SeenUser | undefined,
  now: StoredIdentity,
): Promise<void> {
  if (!seen) return;
  const granted = await tx.first<{ roles: string[] }>(
    sql`select roles from people_roles where id = ${now.id}`,
  );
  const current: Required<SeenUser> = {
    firstName: now.traits.name?.first ?? "",
    lastName: now.traits.name?.last ?? "",
    email: now.traits.email ?? "",
    active: now.state === "active",
    roles: rolesIn(granted?.roles),
  };
  const given = seen.roles === undefined ? seen : { ...seen, roles: rolesIn(seen.roles) };
  const changed = Object.entries(current).filter(([name, value]) => {
    const was: unknown = given[name as keyof SeenUser];
    return was !== undefined && JSON.stringify(was) !== JSON.stringify(value);
  });
  if (changed.length > 0)
    throw conflict("Somebody else has changed this user since you began to edit.");
}

const rolesIn = (roles: unknown) =>
  effectiveRoles(Array.isArray(roles) ? roles.map(String) : []).toSorted();
