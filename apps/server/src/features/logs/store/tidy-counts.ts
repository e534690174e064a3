import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

/** Of what is younger more will come: lines are told of soon after their moment. */
const restMs = 120_000;

/** Makes one row of several that count the same, and leaves out what is older than any line. */
export async function tidyCounts({ db, clock }: Pick<Ctx, "db" | "clock">): Promise<void> {
  const until = new Date(clock.now().getTime() - restMs);
  await db.run(sql`
    delete from log_counts
     where minute < coalesce((select date_bin('1 minute', min(time), 'epoch') from log_lines), 'infinity')`);
  // Whoever counts meanwhile sees all of the old rows or the new one; two servers take none twice.
  await db.run(sql`
    with several as (
      select minute from log_counts where minute < ${until}::timestamptz
       group by minute having count(*) > count(distinct coalesce(level, -1))),
    taken as (delete from log_counts c using several s where c.minute = s.minute returning c.*)
    insert into log_counts (minute, level, lines) select minute, level, sum(lines) from taken group by 1, 2`);
}
