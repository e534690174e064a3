import { table, type Table } from "#platform/table.ts";
import { checkTeams } from "./check-teams.ts";
import { checkNewMembers, oneTeamAtATime } from "./team-members.ts";

/**
 * The matrix has no row for teams: they are part of its `database`, so everybody who is signed in sees them, and
 * administrators and editors change them. A team is deleted by its `deleted_at`.
 */
export const tables: readonly Table[] = [
  table("teams", {
    read: "database",
    write: "database",
    writable: ["id", "name", "icon", "spec", "source", "created_by", "deleted_at"],
    verbs: ["insert", "update"],
    ignoreReadOnly: true,
    beforeWrite: checkTeams,
  }),
  table("teams_with_status", { read: "database" }),
  table("team_members", {
    read: "database",
    write: "database",
    writable: ["team_id", "person_id"],
    verbs: ["insert", "delete"],
    ignoreReadOnly: true,
    beforeWrite: checkNewMembers,
    afterWrite: oneTeamAtATime,
  }),
];
