import { setTimeout as pause } from "node:timers/promises";
import sql, { raw, type Sql } from "sql-template-tag";
import type { Ctx } from "../context.ts";
import type { ScheduledJob } from "../jobs/job.ts";

export interface Deletion {
  /** Not one that is divided into partitions: of those, days are dropped. */
  table: string;
  /** Which rows go. */
  where: Sql;
  /** Rows of one transaction, so that none holds its locks for long; 5,000 unless said. */
  portion?: number;
  /** Between two portions, for those who wait for the same rows and disks; 20 ms unless said. */
  pauseMs?: number;
}

const PORTION = 5_000;
const PAUSE_MS = 20;

/**
 * Deletes what there is, in portions, and says in the run's history how far it has come. A run that is told to stop
 * throws between two portions: what was deleted until then stays deleted. A row that somebody else holds is left to the
 * next run.
 */
export async function deleteInPortions(
  ctx: Pick<Ctx, "db" | "signal" | "progress">,
  { table, where, portion = PORTION, pauseMs = PAUSE_MS }: Deletion,
): Promise<number> {
  for (let deleted = 0; ;) {
    ctx.signal.throwIfAborted();
    const count = await ctx.db.run(sql`
      delete from ${raw(table)} where ctid = any(array(
        select ctid from ${raw(table)} where ${where} limit ${portion} for update skip locked))`);
    deleted += count;
    if (count < portion) return deleted;
    await ctx.progress({ successes: deleted, details: { deleted } });
    await pause(pauseMs, undefined, { signal: ctx.signal });
  }
}

/** What is deleted, by the name under which its count is told; `deleted` where it is one. */
type Deletions = Deletion | ((ctx: Ctx) => Readonly<Record<string, Deletion>>);

/** A job that does nothing else. Of several deletions one is done after the other. */
export function cleanupJob(name: string, schedule: string, deletions: Deletions): ScheduledJob {
  return {
    name,
    schedule,
    timeoutMs: 10 * 60_000,
    retention: "few",
    async run(ctx) {
      const details: Record<string, number> = {};
      let successes = 0;
      const all = typeof deletions === "function" ? deletions(ctx) : { deleted: deletions };
      for (const [what, deletion] of Object.entries(all)) {
        const before = { ...details };
        const earlier = successes;
        const count = await deleteInPortions(
          {
            db: ctx.db,
            signal: ctx.signal,
            progress: (told) =>
              ctx.progress({
                successes: earlier + told.successes,
                details: { ...before, [what]: told.successes },
              }),
          },
          deletion,
        );
        details[what] = count;
        successes += count;
      }
      return { successes, errors: [], details };
    },
  };
}
