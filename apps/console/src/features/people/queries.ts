import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { effectiveRoles, type Role } from "@mainstay/contract/permissions.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { post, request } from "#lib/api.ts";
import { listRows } from "#lib/db.ts";
import { sessionKey } from "#lib/use-access.ts";

/** Somebody who can sign in (U3, U4). */
export interface User {
  id: string;
  first: string;
  last: string;
  email: string;
  name: string;
  state: string;
  roles: readonly Role[];
  created_at: string;
}

type IdentityRow = Pick<Rows["identities"], "id" | "state" | "created_at"> & {
  traits: { email?: string; name?: { first?: string; last?: string } };
};

const usersKey = ["people", "users"] as const;

export const usersQuery = queryOptions({
  queryKey: usersKey,
  queryFn: async ({ signal }): Promise<User[]> => {
    const identities = await listRows<IdentityRow>("identities?order=created_at.desc", { signal });
    const roles = await listRows<{ id: string; roles: string[] }>(
      `people_roles?id=in.(${identities.map(({ id }) => id).join(",")})`,
      { signal },
    );
    const rolesOf = new Map(roles.map((row) => [row.id, row.roles]));
    return identities.map(({ id, traits, state, created_at }) => {
      const { first = "", last = "" } = traits.name ?? {};
      const email = traits.email ?? "";
      const name = `${first} ${last}`.trim() || email;
      return {
        id,
        first,
        last,
        email,
        name,
        state,
        created_at,
        roles: effectiveRoles(rolesOf.get(id) ?? []),
      };
    });
  },
  gcTime: 0,
  staleTime: 0,
  meta: { tables: ["identities", "people", "people_roles"] },
});

/** What the form holds. */
export interface UserInput {
  firstName: string;
  lastName: string;
  email: string;
  role: Role;
}

export interface Invited {
  /** Where the invited person chooses a password. */
  link: string;
  /** Whether it was sent there by e-mail. */
  mailed?: boolean;
}

/** U5, U7, U8 and the second factor. */
export function useUserChanges() {
  const client = useQueryClient();
  const onSuccess = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: usersKey }),
      client.invalidateQueries({ queryKey: sessionKey }),
    ]);
  const meta = { speaksForItself: true };
  return {
    invite: useMutation({
      meta,
      mutationFn: (user: UserInput) => post<Invited>("/api/auth/invite_user", user),
      onSuccess,
    }),
    update: useMutation({
      meta,
      mutationFn: (user: UserInput & { id: string; active: boolean }) =>
        post<unknown>("/api/people/update", user),
      onSuccess,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ id }: { id: string }) =>
        request(`/api/people/${encodeURIComponent(id)}`, { method: "DELETE" }),
      onSuccess,
    }),
  };
}
