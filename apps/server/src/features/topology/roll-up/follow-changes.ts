import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Worker } from "#platform/feature.ts";
import { recordRun } from "#platform/jobs/history.ts";
import { rollUp } from "./roll-up.ts";

const EVERY_MS = 2_000;
/** Scripts may look at the clock: what has any is judged as often even where nothing has changed. */
const SCRIPTS_EVERY = "2 minutes";
const NAME = "ComponentStatusSummarySync";

/**
 * Judges components within seconds of what changes, on any number of servers: all look whether something has, and one of
 * them does it. Runs that found something to do stand in the job history.
 */
export function followChanges(ctx: Ctx, everyMs = EVERY_MS): Worker {
  const stopping = new AbortController();
  const own = ctx.with({ signal: AbortSignal.any([ctx.signal, stopping.signal]) });
  let following: Promise<void> | undefined;
  let isFailing = false;
  async function follow(): Promise<void> {
    try {
      await rollUpChanged(own);
      isFailing = false;
    } catch (error) {
      // Once is enough; the next round tries again, and the job history has each.
      if (!isFailing && !stopping.signal.aborted)
        ctx.log.error({ err: error }, "components could not be judged; trying again");
      isFailing = true;
    }
  }
  const timer = setInterval(() => {
    following ??= follow().finally(() => {
      following = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    async stop() {
      stopping.abort(new Error("The server is stopping."));
      clearInterval(timer);
      await following;
    },
  };
}

/** Judges all components if what they are judged by has changed. @returns whether it had */
export async function rollUpChanged(ctx: Ctx): Promise<boolean> {
  const row = await ctx.db.first<{ is_due: boolean }>(sql`
    select inputs <> topology_inputs()
           or (judged_at < now() - ${SCRIPTS_EVERY}::interval
               and exists (select from components
                            where deleted_at is null and coalesce(nullif(status_expr, ''), nullif(health_expr, '')) is not null)) as is_due
      from topology_judged`);
  if (!row?.is_due) return false;
  await recordRun(ctx.db, { name: NAME, retention: "few" }, async () => {
    const { judged, changed, faults } = await rollUp(ctx);
    return { successes: judged, errors: faults, details: { judged, changed } };
  });
  return true;
}
