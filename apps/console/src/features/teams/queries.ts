import { queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { ApiError } from "#lib/api-error.ts";
import { listOf } from "#lib/live-list.ts";
import { columns, db, embedding, eq, isNotNull, isNull } from "#lib/db.ts";

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

export const teamsKey = ["teams"] as const;
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

/** Members, and who made them. */
const shownPeople = (teams: readonly (Team | null)[]): string[] =>
  teams.flatMap((team) => [
    ...(team?.created_by ? [team.created_by.id] : []),
    ...(team?.members.map(({ person }) => person.id) ?? []),
  ]);

const couldBeMembers = {
  select: columns("people", "id", "name", "email", "avatar"),
  where: { email: isNotNull, deleted_at: isNull },
  order: ["name.asc"],
} as const;

export const teamQueries = {
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
          people: shownPeople([team as Team | null]),
        }),
      },
    }),
  /** U1: everybody who could be in a team. */
  people: queryOptions({
    queryKey: [...teamsKey, "people"],
    queryFn: ({ signal }) => db.list("people", couldBeMembers, { signal }),
    meta: { tables: ["people"], list: listOf("people", couldBeMembers) },
  }),
};

/** G15 */
export const teamsOfComponent = (componentId: string) =>
  queryOptions({
    queryKey: ["teams", "of component", componentId],
    queryFn: ({ signal }) =>
      db.page(
        "team_components",
        {
          select: embedding<{ team_id: string; team: { id: string; name: string } | null }>(
            "team_id,team:teams(id,name)",
          ),
          where: { component_id: eq(componentId) },
          order: ["team_id.asc"],
        },
        { signal },
      ),
    meta: { tables: ["team_components", "teams"] },
  });
