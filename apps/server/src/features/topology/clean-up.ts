import { componentPastDays } from "@mainstay/contract";
import sql from "sql-template-tag";
import { cleanupJob, deleteInPortions } from "#platform/db/delete-in-portions.ts";
import type { ScheduledJob } from "#platform/jobs/job.ts";

const kept = sql`now() - ${componentPastDays} * interval '1 day'`;

/** Names and times of server contract, section 7, where it has them. */
export const retentionJobs: readonly ScheduledJob[] = [
  {
    // Their trigger does it when a topology is deleted; this is for what was brought since by a sync that was under way.
    name: "CleanupComponents",
    schedule: "@hourly",
    timeoutMs: 10 * 60_000,
    retention: "few",
    async run(ctx) {
      const deleted = await ctx.db.run(sql`
        update components c set deleted_at = now() from topologies t
         where t.id = c.topology_id and t.deleted_at is not null and c.deleted_at is null`);
      return { successes: deleted, errors: [], details: { deleted } };
    },
  },
  {
    name: "CleanupSoftDeletedComponents",
    schedule: "@every 24h",
    timeoutMs: 60 * 60_000,
    retention: "few",
    async run(ctx) {
      let deleted = 0;
      // What has children waits for them; each round takes those that have none left.
      for (let round = -1; round !== 0; deleted += round)
        round = await deleteInPortions(ctx, {
          table: "components",
          where: sql`deleted_at < ${kept}
                     and not exists (select from components k where k.parent_id = components.id)`,
          portion: 500,
        });
      const ties = await deleteInPortions(ctx, {
        table: "component_relationships",
        where: sql`deleted_at < now() - interval '7 days'`,
      });
      return { successes: deleted + ties, errors: [], details: { components: deleted, ties } };
    },
  },
  cleanupJob("CleanupComponentStates", "50 2 * * *", () => ({
    // The last one before that stays: it says how the component was when that which is kept begins.
    states: {
      table: "component_states",
      where: sql`time < ${kept}
                 and exists (select from component_states n
                              where n.component_id = component_states.component_id
                                and n.time > component_states.time and n.time <= ${kept})`,
    },
    // Of connections that have ended.
    versions: {
      table: "topology_versions",
      where: sql`changed_at < now() - interval '1 day'`,
    },
  })),
];
