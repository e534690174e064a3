import { checkFailed, checkPassed } from "@mainstay/contract";
import type { Feature } from "#platform/feature.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { addedProbes } from "#features/connections/index.ts";
import { connectionProbes } from "./connection-probes.ts";
import { canaryKind } from "./documents/canary-kind.ts";
import { holdStoredCode } from "./documents/hold-stored-code.ts";
import { sealStored } from "./documents/seal-stored.ts";
import { canary, check } from "./resources.ts";
import { retentionJobs } from "./clean-up.ts";
import { relateChecksJob } from "./relationships/relate-checks.ts";
import { routes } from "./routes.ts";
import { followOverdue } from "./results/follow-overdue.ts";
import { startRunner } from "./runner/runner.ts";
import { checkFacts } from "./security-facts.ts";
import { selfAddress } from "./self-address.ts";
import { createSelfChecks, selfHeartbeat } from "./self-checks.ts";
import { tables } from "./tables.ts";
import { healthSettings } from "./settings.ts";

export { readTime } from "./summary/read-range.ts";

/** Checks: their documents, the runner, the results, and what the health pages read. */
export const health: Feature = {
  name: "health",
  settings: healthSettings,
  open: ["canaries"],
  tables,
  resources: [canary, check],
  routes,
  documents: [canaryKind],
  security: (ctx) => checkFacts(ctx),
  views: new URL("views.sql", import.meta.url),
  events: [checkPassed, checkFailed],
  schedules: [...retentionJobs, selfHeartbeat, relateChecksJob],
  partitions: [
    { table: "check_statuses", column: "time", daysKept: 30 },
    { table: "check_totals_5m", column: "time", daysKept: 2 },
  ],
  async seed(ctx) {
    await sealStored(ctx);
  },
  async worker(services) {
    const { ctx, config, address, localAddress, port } = services;
    if (config.selfChecks) {
      const where = await selfAddress({
        address: address(),
        localAddress: localAddress(),
        connector: openConnector(config),
        log: ctx.log,
      });
      await createSelfChecks(ctx, { ...where, port: port(), config });
    }
    await holdStoredCode(ctx);
    return startRunner(services);
  },
  async always({ ctx }) {
    for (const [type, probe] of connectionProbes()) ctx.service(addedProbes).set(type, probe);
    return followOverdue(ctx.db, ctx.log);
  },
};

export { type DocumentResult, runDocuments } from "./runner/run-documents.ts";
export { agreeCanaries, canariesOf } from "./documents/agree-canaries.ts";
export { canaryKind } from "./documents/canary-kind.ts";
export { check as checkResource } from "./resources.ts";
export { judgeCanaryScripts } from "./documents/judge-scripts.ts";
export { type LookupAnswer, type LookupInput, runLookup } from "./runner/run-lookup.ts";
export { type RunnableParts } from "./runner/runnable-check.ts";
export { runnableParts } from "./runner/runnable-parts.ts";
