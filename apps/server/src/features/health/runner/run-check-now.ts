import { type RunNowReply, runCheckRoles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { recordRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { conflict, forbidden, notFound, unavailable } from "#platform/errors.ts";
import { artifactStore } from "../artifacts/artifact-store.ts";
import type { Connector } from "../check-types/index.ts";
import { findLastCalls } from "../calls.ts";
import { readDetails } from "../results/check-result.ts";
import { touchVersion, writeResults } from "../results/write-results.ts";
import { runOf, writeRuns } from "../results/write-runs.ts";
import { holdCanary, type HoldOptions } from "./hold-canary.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import { readLastOutputs, readLastResults } from "../scripts/read-last-results.ts";
import type { CanaryLoader, LoadedCanary, StoredCheck } from "./load-canaries.ts";
import { dueAt, followOutcome, judgeCalls } from "./run-claim.ts";
import type { MetricStore } from "../scripts/metric-store.ts";
import { runCheck, StoppedRun } from "./run-check.ts";

/** Version row of the results that requests write; they are few. */
const WRITER = "requests";
/** The longest a request waits for a run that is going on. */
const LONGEST_WAIT_MS = 30_000;

export interface RunCheckNowParts {
  loader: CanaryLoader;
  connector: Connector;
  checkMetrics: MetricStore;
  workers: HoldOptions["workers"];
}

/** Runs one check at once, stores its result and says what came out. */
export async function runCheckNow(
  ctx: Ctx,
  parts: RunCheckNowParts,
  checkId: string,
): Promise<RunNowReply> {
  requireRun(ctx);
  const row = await ctx.db.first<CheckRow>(sql`
    select c.canary_id, c.type, c.name, c.namespace, c.description, c.labels, p.name as parent,
           encode(sha256(convert_to(c.spec::text, 'UTF8')), 'hex') as sha256
      from checks c left join checks p on p.id = c.parent_id
     where c.id = ${checkId} and c.deleted_at is null`);
  if (!row) throw notFound("There is no such check.");
  if (row.parent !== null)
    throw conflict(`This check is made by the results of "${row.parent}": run that one.`);
  const canary = (await parts.loader.load([row.canary_id])).get(row.canary_id);
  const held = canary?.held.get(checkId);
  if (held !== undefined) throw conflict(held);
  const check = canary?.checks.find((candidate) => candidate.id === checkId);
  if (!check) throw notFound("There is no such check.");

  await recordRun(ctx, {
    verb: "run",
    table: "checks",
    row: checkId,
    about: { name: row.name, type: row.type, sha256: row.sha256 },
  });
  const waitMs = Math.min(check.timeoutMs, LONGEST_WAIT_MS);
  const result = await holdCanary(
    ctx,
    { canaryId: row.canary_id, workers: parts.workers, waitMs },
    async ({ claimedAt: now, nextAt }) => {
      const outcome = await runAlone(ctx, parts, { check, canary: canary!, now });
      const slot = nextAt && canary?.slotAfter(ctx.clock.now());
      const found = await followOutcome(
        { db: ctx.db, ctx, checkMetrics: parts.checkMetrics },
        { check, canary: canary!, time: now, nextAt },
        outcome,
      );
      const due = dueAt(slot, check);
      await ctx.db.transaction(async (tx) => {
        const results = found.map(({ result: one }) => ({ ...one, dueAt: due }));
        await writeResults(tx, results);
        await writeRuns(tx, [runOf(row.canary_id, found)!]);
        await touchVersion(tx, WRITER);
      });
      return found[0]!.result;
    },
  );
  return {
    id: checkId,
    type: row.type,
    name: row.name,
    namespace: row.namespace ?? "",
    description: row.description ?? undefined,
    labels: row.labels ?? undefined,
    severity: check.severity,
    start: result.time.toISOString(),
    pass: result.pass,
    invalid: result.invalid,
    ...(result.untried && { untried: true }),
    message: result.message,
    error: result.error,
    duration: Math.round(result.durationMs),
    detail: readDetails(result.details),
    total: 1,
    success: result.pass ? 1 : 0,
    failed: result.pass || result.untried ? 0 : 1,
    errors: result.pass ? [] : [result.error ?? result.message ?? "The check failed."],
  };
}

/** What other checks would have said in a run of all of them is what they said last. */
async function runAlone(
  ctx: Ctx,
  parts: RunCheckNowParts,
  { check, canary, now }: { check: StoredCheck; canary: LoadedCanary; now: Date },
): Promise<FinishedOutcome> {
  const [lastResults, outputs] = await Promise.all([
    readLastResults(ctx.db, [check]),
    readLastOutputs(ctx.db, check, canary.checks),
  ]);
  const context = { outputs, lastResult: lastResults.get(check.id) };
  if (check.judge) {
    const lastCalls = await findLastCalls(ctx.db, [check.id]);
    const outcome = judgeCalls(check, { now: () => now, lastCalls }, check.createdAt);
    return (await check.begin(context).finish?.(outcome)) ?? outcome;
  }
  const run = { checkId: check.id, time: now };
  const artifacts = check.leavesFiles ? ctx.service(artifactStore).begin(run) : undefined;
  const { connector } = parts;
  return runCheck({ check, connector, stop: ctx.signal, context, artifacts }).catch(
    (error: unknown) => {
      throw error instanceof StoppedRun ? unavailable(error.message) : error;
    },
  );
}

interface CheckRow {
  canary_id: string;
  type: string;
  name: string;
  namespace: string | null;
  description: string | null;
  labels: Record<string, string> | null;
  /** The check whose transform makes this one. */
  parent: string | null;
  /** Of the stored spec. */
  sha256: string;
}

/** Running asks for less than writing: everybody but viewers may (document 1, section 6). */
export function requireRun(ctx: Ctx): void {
  const { actor } = ctx;
  ctx.require("canaries", actor.kind === "person" ? "read" : "write");
  if (actor.kind === "person" && !actor.roles.some((role) => runCheckRoles.includes(role))) {
    throw forbidden("You do not have permission to run checks.");
  }
}
