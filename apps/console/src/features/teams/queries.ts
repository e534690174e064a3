import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { deleteRows, firstRow, insertRow, insertRows, listRows, patchRow } from "#lib/db.ts";
import { useSession } from "#lib/use-access.ts";

export interface Member {
  id: string;
  name: string;
  email: string | null;
  avatar: string | null;
}

export type Team = Pick<Rows["teams"], "id" | "name"> & {
  icon: string | null;
  source: string | null;
  spec: Record<string, unknown> | null;
  created_at: string;
  updated_at: string;
  created_by: Pick<Member, "id" | "name" | "avatar"> | null;
  members: { person: Member }[];
};

const teamsKey = ["teams"] as const;
const select =
  "select=*,created_by(id,name,avatar),members:team_members(person:people(id,name,email,avatar))";
const at = (id: string) => `id=eq.${encodeURIComponent(id)}`;

export const teamQueries = {
  list: queryOptions({
    queryKey: [...teamsKey, "list"],
    queryFn: ({ signal }) =>
      listRows<Team>(`teams?${select}&deleted_at=is.null&order=name.asc`, { signal }),
    staleTime: 0,
    meta: { tables: ["teams", "team_members"] },
  }),
  team: (id: string) =>
    queryOptions({
      queryKey: [...teamsKey, "team", id],
      queryFn: ({ signal }) =>
        firstRow<Team>(`teams?${select}&deleted_at=is.null&${at(id)}`, { signal }),
      staleTime: 0,
      meta: { tables: ["teams", "team_members", "people"] },
    }),
  /** U1: everybody who could be in a team. */
  people: queryOptions({
    queryKey: [...teamsKey, "people"],
    queryFn: ({ signal }) =>
      listRows<Member>(
        "people?select=id,name,email,avatar&email=not.is.null&deleted_at=is.null&order=name.asc",
        {
          signal,
        },
      ),
    meta: { tables: ["people"] },
  }),
};

export interface TeamInput {
  name: string;
  icon: string | null;
  spec: Record<string, unknown> | null;
}

/** T4, T5 and the team itself. A team is deleted by a date; one who leaves a team stays in the others. */
export function useTeamChanges() {
  const client = useQueryClient();
  const { person } = useSession();
  const onSuccess = () => client.invalidateQueries({ queryKey: teamsKey });
  const meta = { speaksForItself: true };
  return {
    add: useMutation({
      meta,
      mutationFn: (team: TeamInput) =>
        insertRow<Pick<Team, "id">>("teams", { ...team, source: "UI", created_by: person?.id }),
      onSuccess,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ id, ...team }: TeamInput & { id: string }) =>
        patchRow(`teams?${at(id)}`, team),
      onSuccess,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ id }: { id: string }) => patchRow(`teams?${at(id)}`, { deleted_at: "now()" }),
      onSuccess,
    }),
    addMembers: useMutation({
      meta,
      mutationFn: ({ teamId, people }: { teamId: string; people: readonly Member[] }) =>
        insertRows(
          "team_members",
          people.map(({ id }) => ({ team_id: teamId, person_id: id })),
        ),
      onSuccess,
    }),
    removeMember: useMutation({
      meta,
      mutationFn: ({ teamId, person }: { teamId: string; person: Member }) =>
        deleteRows(
          `team_members?team_id=eq.${encodeURIComponent(teamId)}&person_id=eq.${encodeURIComponent(person.id)}`,
        ),
      onSuccess,
    }),
  };
}
