import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "#lib/api-error.ts";
import { deleteRows, firstRow, insertRow, insertRows, listRows, patchRow } from "#lib/db.ts";
import { useSession } from "#lib/use-access.ts";
import { patchSeen } from "#lib/use-edited.ts";

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
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const inOrder = (team: Team): Team => ({
  ...team,
  members: team.members.toSorted((one, other) =>
    byName.compare(one.person.name, other.person.name),
  ),
});
const at = (id: string) => `id=eq.${encodeURIComponent(id)}`;

export const teamQueries = {
  list: queryOptions({
    queryKey: [...teamsKey, "list"],
    queryFn: async ({ signal }) =>
      (await listRows<Team>(`teams?${select}&deleted_at=is.null&order=name.asc`, { signal })).map(
        inOrder,
      ),
    staleTime: 0,
    meta: { tables: ["teams", "team_members", "people"] },
  }),
  team: (id: string) =>
    queryOptions({
      queryKey: [...teamsKey, "team", id],
      queryFn: async ({ signal }) => {
        try {
          const team = await firstRow<Team>(`teams?${select}&deleted_at=is.null&${at(id)}`, {
            signal,
          });
          return team && inOrder(team);
        } catch (error) {
          // What is no id is no team's.
          if (error instanceof ApiError && error.status === 400) return null;
          throw error;
        }
      },
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
  // Also what was refused may have been because of what is not shown yet.
  const onSettled = () => client.invalidateQueries({ queryKey: teamsKey });
  const meta = { speaksForItself: true };
  return {
    add: useMutation({
      meta,
      mutationFn: (team: TeamInput) =>
        insertRow<Pick<Team, "id">>("teams", { ...team, created_by: person?.id }),
      onSettled,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ team, seen }: { team: TeamInput; seen: Team }) =>
        patchSeen(`teams?${at(seen.id)}`, seen, team, "team"),
      onSettled,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ id }: { id: string }) => patchRow(`teams?${at(id)}`, { deleted_at: "now()" }),
      // Whoever deletes it leaves before its page learns that it is gone.
      onSettled: () => void onSettled(),
    }),
    addMembers: useMutation({
      meta,
      mutationFn: ({ teamId, people }: { teamId: string; people: readonly Member[] }) =>
        insertRows(
          "team_members",
          people.map(({ id }) => ({ team_id: teamId, person_id: id })),
        ),
      onSettled,
    }),
    removeMember: useMutation({
      mutationFn: ({ teamId, person }: { teamId: string; person: Member }) =>
        deleteRows(
          `team_members?team_id=eq.${encodeURIComponent(teamId)}&person_id=eq.${encodeURIComponent(person.id)}`,
        ),
      onSettled,
    }),
  };
}
