import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Role } from "@mainstay/contract/permissions.ts";
import { post, request } from "#lib/api.ts";
import { sessionKey } from "#lib/use-access.ts";
import { type User, usersKey } from "./queries.ts";

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
const seenAs = ({ first, last, email, isActive, roles }: User) => ({
  firstName: first,
  lastName: last,
  email,
  active: isActive,
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
