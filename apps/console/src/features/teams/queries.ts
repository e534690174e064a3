import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "#lib/api-error.ts";
import { columns, db, embedding, eq, isNotNull, isNull } from "#lib/db.ts";
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
const select = embedding<Team>(
  "*,created_by(id,name,avatar),members:team_members(person:people(id,name,email,avatar))",
);
const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const inOrder = (team: Team): Team => ({
  ...team,
  members: team.members.toSorted((one, other) =>
    byName.compare(one.person.name, other.person.name),
  ),
});

const memberIds = (teams: readonly (Team | null)[]): string[] =>
  teams.flatMap((team) => team?.members.map(({ person }) => person.id) ?? []);

export const teamQueries = {
  list: queryOptions({
    queryKey: [...teamsKey, "list"],
    queryFn: async ({ signal }) =>
      (
        await db.list(
          "teams",
          { select, where: { deleted_at: isNull }, order: ["name.asc"] },
          { signal },
        )
      ).map(inOrder),
    staleTime: 0,
    meta: {
      tables: ["teams", "team_members", "people"],
      rows: (teams) => ({ people: memberIds(teams as Team[]) }),
    },
  }),
  team: (id: string) =>
    queryOptions({
      queryKey: [...teamsKey, "team", id],
      queryFn: async ({ signal }) => {
        try {
          const team = await db.first(
            "teams",
            { select, where: { deleted_at: isNull, id: eq(id) } },
            { signal },
          );
          return team && inOrder(team);
        } catch (error) {
          // What is no id is no team's.
          if (error instanceof ApiError && error.status === 400) return null;
          throw error;
        }
      },
      staleTime: 0,
      meta: {
        tables: ["teams", "team_members", "people"],
        // Members come and go as rows of the team's.
        rows: (team) => ({
          teams: [id],
          team_members: [id],
          people: memberIds([team as Team | null]),
        }),
      },
    }),
  /** U1: everybody who could be in a team. */
  people: queryOptions({
    queryKey: [...teamsKey, "people"],
    queryFn: ({ signal }) =>
      db.list(
        "people",
        {
          select: columns("people", "id", "name", "email", "avatar"),
          where: { email: isNotNull, deleted_at: isNull },
          order: ["name.asc"],
        },
        { signal },
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
      mutationFn: (team: TeamInput) => db.insert("teams", { ...team, created_by: person?.id }),
      onSettled,
    }),
    update: useMutation({
      meta,
      mutationFn: ({ team, seen }: { team: TeamInput; seen: Team }) =>
        patchSeen("teams", { where: { id: eq(seen.id) }, seen, changes: team, noun: "team" }),
      onSettled,
    }),
    remove: useMutation({
      meta,
      mutationFn: ({ id }: { id: string }) =>
        db.patch("teams", { id: eq(id) }, { deleted_at: "now()" }),
      // Whoever deletes it leaves before its page learns that it is gone.
      onSettled: () => void onSettled(),
    }),
    addMembers: useMutation({
      meta,
      mutationFn: ({ teamId, people }: { teamId: string; people: readonly Member[] }) =>
        db.insertAll(
          "team_members",
          people.map(({ id }) => ({ team_id: teamId, person_id: id })),
        ),
      onSettled,
    }),
    removeMember: useMutation({
      mutationFn: ({ teamId, person }: { teamId: string; person: Member }) =>
        db.remove("team_members", { team_id: eq(teamId), person_id: eq(person.id) }),
      onSettled,
    }),
  };
}
