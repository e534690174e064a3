import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { effectiveRoles, type Role } from "@mainstay/contract/permissions.ts";
import type { Rows } from "@mainstay/contract/rows.ts";
import { post, request } from "#lib/api.ts";
import { columns, db, embedding, isNotNull, isNull } from "#lib/db.ts";
import { hosted } from "#lib/hosted.ts";
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
    return { id, created_at, state: "active", traits };
  });
}

const usersKey = ["people", "users"] as const;

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

/** A user as the form that edits them has seen them; the server changes nothing that is not so any more. */
const seenAs = ({ first, last, email, state, roles }: User) => ({
  firstName: first,
  lastName: last,
  email,
  active: state === "active",
  roles,
});

const at = ({ id }: { id: string }) => `/api/people/${encodeURIComponent(id)}`;

/** U5 to U8, the second factor and a new link. */
export function useUserChanges() {
  const client = useQueryClient();
  // Also what was refused may have been because of what is not shown yet.
  const onSettled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: usersKey }),
      client.invalidateQueries({ queryKey: sessionKey }),
    ]);
  const meta = { speaksForItself: true };
  return {
    invite: useMutation({
      meta,
      mutationFn: (user: UserInput) => post<Invited>("/api/auth/invite_user", user),
      onSettled,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ seen, ...user }: UserInput & { id: string; active: boolean; seen: User }) =>
        post<unknown>("/api/people/update", { ...user, seen: seenAs(seen) }),
      onSettled,
    }),
    setRole: useMutation({
      meta,
      mutationFn: ({ id, role }: { id: string; role: Role }) =>
        post<unknown>(`/api/rbac/${encodeURIComponent(id)}/update_role`, { roles: [role] }),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (user: { id: string }) => request(at(user), { method: "DELETE" }),
      onSettled,
    }),
    makeLink: useMutation({
      mutationFn: (user: { id: string }) =>
        post<{ link: string; expires_at: string }>(`${at(user)}/sign-in-link`, {}),
    }),
    resetSecondFactor: useMutation({
      mutationFn: (user: { id: string }) =>
        post<{ removed: string[] }>(`${at(user)}/reset-second-factor`, {}),
    }),
  };
}
