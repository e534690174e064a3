import { queryOptions } from "@tanstack/react-query";
import { get } from "#lib/api.ts";

export interface UnmailedInvitation {
  id: string;
  name: string;
  email: string | null;
  invited_by: string | null;
  expires_at: string;
  /** For who invited alone. */
  link?: string;
}

export const unmailedInvitationsQuery = queryOptions({
  queryKey: ["notices", "unmailed-invitations"],
  queryFn: ({ signal }) =>
    get<UnmailedInvitation[]>("/api/people/unmailed-invitations", { signal }),
  meta: { tables: ["identities"] },
});
