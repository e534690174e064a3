import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";

/** Makes somebody a member of the teams of these names that there are. */
export async function joinTeams(
  tx: Queryable,
  personId: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await tx.run(sql`
    insert into team_members (team_id, person_id)
    select id, ${personId} from teams where name = any(${names}::text[]) and deleted_at is null
    on conflict do nothing`);
}
