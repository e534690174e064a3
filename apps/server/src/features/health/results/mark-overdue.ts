import sql from "sql-template-tag";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";
import type { Database } from "#platform/db/database.ts";
import { touchVersion } from "./write-results.ts";

const PORTION = 1_000;
/** Version row of what is marked, by whichever server. */
const WRITER = "overdue";

/**
 * Writes into `checks` what every reader sees by the clock already: a check whose result is overdue is unknown. It is
 * for those who read the bare table, and so that open pages hear of it. Raises no event, like every turn to unknown.
 * What does not come due any more (a run that was under way when its canary was paused) is not overdue either.
 */
export async function markOverdue(db: Database): Promise<number> {
  return db.transaction(async (tx) => {
    const marked = await tx.run(sql`
    with overdue as (
      select c.id, s.next_at is null as rests
        from checks c left join schedules s on s.kind = ${CANARY_SLOTS} and s.key = c.canary_id::text
       where c.result_due < now() and c.deleted_at is null
         and (c.status is distinct from 'unknown' or s.next_at is null)
       order by c.id limit ${PORTION} for no key update of c skip locked)
    update checks c
       set status = case when o.rests then c.status else 'unknown' end,
           result_due = case when not o.rests then c.result_due end
      from overdue o where c.id = o.id`);
    if (marked > 0) await touchVersion(tx, WRITER);
    return marked;
  });
}
