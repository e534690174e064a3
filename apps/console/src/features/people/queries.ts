import { queryOptions } from "@tanstack/react-query";
import { effectiveRoles, type Role } from "@mainstay/contract/permissions.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { columns, db, embedding, isNotNull, isNull } from "#lib/db.ts";
import { hosted } from "#lib/hosted.ts";

/** Somebody who can sign in (U3, U4). */
export interface User {
  id: string;
  first: string;
  last: string;
  email: string;
  name: string;
  /** As lists say it: `invited` until they have signed in. */
  state: string;
  isActive: boolean;
  roles: readonly Role[];
  created_at: string;
}

type IdentityRow = Pick<Rows["identities"], "id" | "state" | "created_at" | "first_sign_in_at"> & {
  traits: { email?: string; name?: { first?: string; last?: string } };
};

/** Whom a hosted provider vouches for has no identity here. */
async function listProvided(signal: AbortSignal): Promise<IdentityRow[]> {
  const people = await db.list(
    "people",
    {
      select: columns("people", "id", "name", "email", "created_at"),
      where: { type: isNull, deleted_at: isNull, email: isNotNull },
      order: ["created_at.desc"],
    },
    { signal },
  );
  return people.map(({ id, name, email, created_at }) => {
    const [, first, last] = /^(\S+) (.+)$/.exec(name) ?? ["", name, ""];
    const traits = { ...(email === null ? {} : { email }), name: { first, last } };
    return { id, created_at, state: "active", first_sign_in_at: created_at, traits };
  });
}

export const usersKey = ["people", "users"] as const;

export const usersQuery = queryOptions({
  queryKey: usersKey,
  queryFn: async ({ signal }): Promise<User[]> => {
    // Not by the ids of the first: of many users they are longer than an address may be.
    const [identities, roles] = await Promise.all([
      hosted()
        ? listProvided(signal)
        : db.list(
            "identities",
            { select: embedding<IdentityRow>("*"), order: ["created_at.desc"] },
            { signal },
          ),
      db.list(
        "people_roles",
        { select: embedding<{ id: string; roles: string[] }>("id,roles") },
        { signal },
      ),
    ]);
    const rolesOf = new Map(roles.map((row) => [row.id, row.roles]));
    return identities.map(({ id, traits, state, created_at, first_sign_in_at }) => {
      const { first = "", last = "" } = traits.name ?? {};
      const email = traits.email ?? "";
      const name = `${first} ${last}`.trim() || email;
      return {
        id,
        first,
        last,
        email,
        name,
        state: state === "active" && first_sign_in_at === null ? "invited" : state,
        isActive: state === "active",
        created_at,
        roles: effectiveRoles(rolesOf.get(id) ?? []),
      };
    });
  },
  gcTime: 0,
  staleTime: 0,
  meta: { tables: ["identities", "people", "people_roles"] },
});
