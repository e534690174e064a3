import type { ScheduledJob } from "#platform/jobs/job.ts";
import { addUpCosts } from "./add-up-costs.ts";
import { relateComponents } from "./relate-components.ts";
import { relateTeams } from "./relate-teams.ts";

/** What hangs on components may be another without a run of their topology. Names and times: server contract, section 7. */
export const relatingJobs: readonly ScheduledJob[] = [
  {
    name: "ComponentRelationshipSync",
    schedule: "@every 5m",
    timeoutMs: 240_000,
    retention: "few",
    run: (ctx) => relate(relateComponents(ctx, { only: "selectors" })),
  },
  {
    name: "ComponentConfigRun",
    schedule: "@every 2m",
    timeoutMs: 110_000,
    retention: "few",
    run: (ctx) => relate(relateComponents(ctx, { only: "configs" })),
  },
  {
    name: "ComponentCheckRun",
    schedule: "@every 2m",
    timeoutMs: 110_000,
    retention: "few",
    run: (ctx) => relate(relateComponents(ctx, { only: "checks" })),
  },
  {
    name: "TeamComponentOwnershipRun",
    schedule: "@every 15m",
    timeoutMs: 110_000,
    retention: "few",
    run: (ctx) => relate(relateTeams(ctx)),
  },
  {
    name: "ComponentCostSync",
    schedule: "@every 1h",
    timeoutMs: 240_000,
    retention: "few",
    run: async (ctx) => ({ successes: await addUpCosts(ctx), errors: [] }),
  },
];

const relate = async (done: Promise<{ related: number; errors: string[] }>) => {
  const { related, errors } = await done;
  return { successes: related, errors };
};
