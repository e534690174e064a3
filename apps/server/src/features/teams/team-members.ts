import type { AfterWrite, BeforeWrite, InputRow } from "@mainstay/data-api";
import sql from "sql-template-tag";
import { conflict, invalid } from "#platform/errors.ts";
import type { WriteContext } from "#platform/table.ts";

const isUuid = (value: unknown): value is string =>
  typeof value === "string" && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);

/** Only somebody who is there comes into a team that is there, and only once. */
export async function checkNewMembers({
  rows,
  context,
}: BeforeWrite<WriteContext>): Promise<InputRow[]> {
  const members = rows.map((row, index) => {
    for (const column of ["team_id", "person_id"]) {
      if (isUuid(row[column])) continue;
      const message = `${column} must be the id of a ${column === "team_id" ? "team" : "person"}.`;
      throw invalid(message, [{ path: `${index}.${column}`, message }]);
    }
    return { team_id: row.team_id as string, person_id: row.person_id as string };
  });
  const wrong = await context.tx.first<{ team: string; person: string | null; is_member: boolean }>(
    sql`
    select t.name as team, p.name as person, m.team_id is not null as is_member
      from unnest(${members.map((row) => row.team_id)}::uuid[], ${members.map((row) => row.person_id)}::uuid[])
           as given (team_id, person_id)
      left join teams t on t.id = given.team_id and t.deleted_at is null
      left join people p on p.id = given.person_id and p.deleted_at is null and p.type is null
      left join team_members m on (m.team_id, m.person_id) = (t.id, p.id)
     where t.id is null or p.id is null or m.team_id is not null
     limit 1`,
  );
  if (!wrong) return members;
  if (wrong.is_member) throw conflict(`${wrong.person} is already in the team ${wrong.team}.`);
  throw invalid(
    wrong.team === null
      ? "There is no such team; it may have been deleted."
      : "There is no such person; it may have been deleted.",
  );
}

/**
 * Somebody is removed from one team and stays in the others (ruling; the reference's call names no team and removes
 * from all of them). Where the rows that were asked for lie in several teams, nothing is removed.
 */
export async function oneTeamAtATime({
  verb,
  rows,
  context,
}: AfterWrite<WriteContext>): Promise<void> {
  const teams = [...new Set(rows.map((row) => row["team_id"] as string))];
  if (verb !== "delete" || teams.length < 2) return;
  const names = await context.tx.rows<{ name: string }>(
    sql`select name from teams where id = any(${teams}) order by name limit 5`,
  );
  const listed = names.map(({ name }) => name).join(", ");
  throw conflict(
    `Nobody was removed, because this would remove from ${teams.length} teams at once (${listed}${teams.length > 5 ? ", ..." : ""}). Say from which one: add team_id=eq.{id}.`,
  );
}
