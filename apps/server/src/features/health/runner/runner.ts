import { setTimeout as delay } from "node:timers/promises";
import sql from "sql-template-tag";
import { catalogEvaluator } from "#features/catalog/index.ts";
import type { Services, Worker } from "#platform/feature.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import { createScheduler, type Scheduler } from "#platform/jobs/schedules.ts";
import { artifactStore } from "../artifacts/artifact-store.ts";
import { CANARY_SLOTS } from "../documents/sync-canary.ts";
import { findLastCalls } from "../calls.ts";
import { lateResults } from "../results/late-results.ts";
import { checkMetricsOf } from "../scripts/metric-store.ts";
import { readLastResults } from "../scripts/read-last-results.ts";
import { createResultWriter } from "../results/result-writer.ts";
import type { RunResult } from "../results/write-runs.ts";
import { runnableParts } from "./runnable-parts.ts";
import { createCanaryLoader, type LoadedCanary } from "./load-canaries.ts";
import { answersAt, createNetworkWatch } from "./network-watch.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import { type ClaimRun, runClaim, type RunParts } from "./run-claim.ts";
import { createRunnerMetrics } from "./runner-metrics.ts";

/** What runs may still take when the server stops; those that take longer are run again by the next server. */
const STOP_GRACE_MS = 2_000;
/** Slots are claimed so long before they come. */
const LEAD_MS = 250;
/**
 * The same while few come due. A canary that runs every second is let go at the latest half a second after its slot, when
 * its results are written: its next slot must still be claimed in time.
 */
const LEAD_OF_FEW_MS = 400;
/** A slot that was claimed this long after it was due may have been run in part by a server that has gone since. */
const LATE_MS = 1_000;

const ignore = () => undefined;

/** Runs the canaries that are due, and writes what they found. */
export async function startRunner(services: Services): Promise<Worker> {
  const { ctx, config, listener, workers } = services;
  const { db } = ctx;
  const log = ctx.log.child({ source: "runner" });
  const metrics = createRunnerMetrics(services.metrics.registry);
  const evaluator = ctx.service(catalogEvaluator);
  const runnable = runnableParts(ctx);
  const loader = createCanaryLoader({ db, log, config, runnable });
  const connector = openConnector(config);
  const network = createNetworkWatch({
    targets: config.networkProbe,
    log,
    ask: (target, timeoutMs) => answersAt(connector, target, timeoutMs),
  });
  // The scheduler runs the claims that the writer lets go: each needs the other.
  const scheduler: Scheduler = createScheduler({
    db,
    log,
    listener,
    workers,
    stopGraceMs: STOP_GRACE_MS,
    kinds: [
      {
        kind: CANARY_SLOTS,
        concurrency: config.checkConcurrency,
        leadMs: LEAD_MS,
        leadOfFewMs: LEAD_OF_FEW_MS,
        run: (claims, _release, now) => runClaims(claims, now),
      },
    ],
  });
  const writer = createResultWriter({
    db,
    log,
    metrics,
    writer: workers.id,
    releaseSql: (claims) => scheduler.releaseSql(claims),
    released: (claims) => scheduler.released(claims),
  });
  const unwatch = services.readiness.watch(() => lateResults(writer.oldestMs()));
  const started = await db.first<{ now: Date }>(sql`select now()`);
  const parts: RunParts = {
    db,
    ctx,
    writer,
    checkMetrics: checkMetricsOf(services.metrics.registry),
    artifacts: ctx.service(artifactStore),
    connector,
    network,
    metrics,
    startedAt: started?.now ?? ctx.clock.now(),
    done: (claim) => scheduler.done(claim),
  };

  async function runClaims(claims: Claim[], now: () => Date): Promise<void> {
    const canaries = await loader.load(claims.map((claim) => claim.key));
    const found = claims.flatMap((claim) => {
      const canary = canaries.get(claim.key);
      return canary ? [{ claim, canary }] : [];
    });
    const waiting = found.flatMap(({ canary }) => canary.checks.filter((check) => check.judge));
    const checks = found.flatMap(({ canary }) => canary.checks);
    const [ranBefore, lastCalls, lastResults] = await Promise.all([
      findRanBefore(found),
      findLastCalls(
        db,
        waiting.map(({ id }) => id),
      ),
      readLastResults(db, checks),
    ]);
    await Promise.all(
      found.map(async ({ claim, canary }) => {
        const aheadMs = claim.slot.getTime() - now().getTime();
        if (aheadMs > 0) await delay(aheadMs, undefined, { signal: claim.signal }).catch(ignore);
        if (claim.signal.aborted) return;
        const lagMs = now().getTime() - claim.slot.getTime();
        metrics.startLag.observe(Math.max(0, lagMs) / 1000);
        metrics.running.inc();
        try {
          await runClaim(parts, { claim, canary, now, ranBefore, lastCalls, lastResults });
        } catch (error) {
          log.error({ err: error, canary: canary.id }, "a canary could not be run");
        } finally {
          metrics.running.dec();
        }
      }),
    );
  }

  async function findRanBefore(found: readonly Found[]): Promise<ClaimRun["ranBefore"]> {
    const late = found.filter(
      ({ claim }) => claim.claimedAt.getTime() - claim.slot.getTime() > LATE_MS,
    );
    if (late.length === 0) return new Map();
    const rows = await db.rows<RunResult & { id: string; is_told: boolean }>(sql`
      select c.id, s.time, coalesce(s.duration, 0) as "durationMs", coalesce(s.status, false) as pass, s.status is null as untried,
             nullif(s.message, '') as message, nullif(s.error, '') as error,
             s.time is null or exists (
               select from job_history h
                where h.name = 'Canary' and h.resource_type = 'canary' and h.resource_id = l.canary_id::text
                  and h.time_end >= s.time) as is_told
        from unnest(${late.map(({ claim }) => claim.key)}::uuid[], ${late.map(({ claim }) => claim.slot)}::timestamptz[],
                    ${late.map(({ claim }) => claim.claimedAt)}::timestamptz[]) l (canary_id, slot, claimed_at)
        join checks c on c.canary_id = l.canary_id
        left join check_statuses s on s.check_id = c.id and s.time = c.last_runtime
       where c.last_runtime >= l.slot and c.last_runtime <= l.claimed_at`);
    return new Map(
      rows.map(({ id, is_told: isTold, ...result }) => [id, isTold ? undefined : result]),
    );
  }

  await scheduler.start();
  return {
    async stop() {
      await scheduler.stop();
      await writer.stop();
      await evaluator.close();
      unwatch();
      network.stop();
    },
  };
}

interface Found {
  claim: Claim;
  canary: LoadedCanary;
}
