import { useMutation, useQueryClient } from "@tanstack/react-query";
import { db, eq } from "#lib/db.ts";
import { useSession } from "#lib/use-access.ts";
import { patchSeen } from "#lib/use-edited.ts";
import { type Member, type Team, teamsKey } from "./queries.ts";

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
