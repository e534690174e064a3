import { setTimeout as delay } from "node:timers/promises";
import type { Mapping } from "@mainstay/scripting";
import pg from "pg";
import type { Database } from "#platform/db/database.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { LastCall } from "../calls.ts";
import { isUntried, untried } from "../check-types/check-type.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { type CheckResult, checkResult } from "../results/check-result.ts";
import { CHECKS_AT_ONCE } from "../results/result-due.ts";
import type { ResultWriter } from "../results/result-writer.ts";
import { isTransient } from "../results/transient-error.ts";
import { type RunResult, runOf } from "../results/write-runs.ts";
import type { RunContext } from "../scripts/context.ts";
import type { FinishedOutcome } from "../scripts/finish-outcome.ts";
import type { MetricStore } from "../scripts/metric-store.ts";
import { createOutputs } from "../scripts/outputs.ts";
import type { Ctx } from "#platform/context.ts";
import { canaryKind } from "../documents/canary-kind.ts";
import { saveMadeCanaries } from "../documents/made-canaries.ts";
import { placeMade, readMade } from "../scripts/place-made.ts";
import { eachLimited } from "#platform/each-limited.ts";
import { jitterMs } from "./jitter.ts";
import type { LoadedCanary, StoredCheck } from "./load-canaries.ts";
import type { NetworkWatch } from "./network-watch.ts";
import { runCheck, StoppedRun, type TimedOutcome } from "./run-check.ts";
import type { RunnerMetrics } from "./runner-metrics.ts";

/** What every run of a worker shares. */
export interface RunParts {
  /** The program's own. */
  ctx: Ctx;
  db: Database;
  writer: ResultWriter;
  checkMetrics: MetricStore;
  artifacts: ArtifactStore;
  connector: Connector;
  network: NetworkWatch;
  metrics: RunnerMetrics;
  /** When this worker began: nobody could have heard a call before. */
  startedAt: Date;
  /** All checks of a claim have run; what came out is handed over. */
  done(claim: Claim): void;
}

export interface ClaimRun {
  claim: Claim;
  canary: LoadedCanary;
  /** The database's time, carried on by this process's monotonic clock. */
  now(): Date;
  /**
   * Checks that have run for this slot before, on a server that has gone since. With what came out: it belongs to this
   * run, unless the job history has it already.
   */
  ranBefore: ReadonlyMap<string, RunResult | undefined>;
  /** When those that wait to be called were called last. */
  lastCalls: ReadonlyMap<string, LastCall>;
  /** Of the run before, of checks whose scripts ask for it. */
  lastResults: ReadonlyMap<string, Mapping>;
}

const NO_NETWORK = "This machine has lost its network: nothing that NETWORK_PROBE names answers.";

/** Results of one run are written together, unless some of its checks take longer than this. */
const TOGETHER_MS = 1_000;

/**
 * Runs the checks of one claimed slot and hands over their results; the claim ends with the last of them. Resolves
 * when they are written. A run that is stopped hands over what it has and keeps its claim: the slot is run again.
 */
export async function runClaim(parts: RunParts, run: ClaimRun): Promise<void> {
  const { claim, canary, now } = run;
  const { writer } = parts;
  await writer.room();
  const intervalMs = claim.nextAt ? claim.nextAt.getTime() - claim.slot.getTime() : 0;
  const isOnGrid = claim.slot.getTime() % 60_000 === 0;
  if (canary.isCron && isOnGrid) {
    await delay(jitterMs(canary.id, intervalMs), undefined, { signal: claim.signal }).catch(
      () => undefined,
    );
  }
  const found: Found[] = [];
  const all = canary.checks.flatMap(({ id, name }) => {
    const result = run.ranBefore.get(id);
    return result ? [{ name, result }] : [];
  });
  let isLate = false;
  // While the slowest still run the canary does not come due again.
  const handOver = () => {
    const begun = Math.max(claim.claimedAt.getTime(), claim.slot.getTime());
    const end = new Date(begun + canary.longestRunMs);
    void writer.add({ results: withDue(run, found.splice(0), end) });
  };
  const late = setTimeout(() => {
    isLate = true;
    if (found.length > 0) handOver();
  }, TOGETHER_MS);
  const due = canary.checks.filter((check) => !run.ranBefore.has(check.id));
  const outputs = createOutputs(canary.checks, ({ id }) =>
    run.ranBefore.has(id) ? outputOfResult(run.ranBefore.get(id)) : false,
  );
  let isStopped = false;
  try {
    await eachLimited(due, CHECKS_AT_ONCE, async (check) => {
      const context = {
        outputs: await outputs.of(check),
        lastResult: run.lastResults.get(check.id),
      };
      const time = now();
      const began = performance.now();
      const isCutOff = check.network && parts.network.isLost;
      let outcome = isCutOff
        ? { ...untried(NO_NETWORK), durationMs: 0 }
        : await runOne(parts, run, { check, context, time }).catch(
            (error: unknown): FinishedOutcome => {
              outputs.skip(check);
              if (error instanceof StoppedRun) throw error;
              // Ours; the other checks have their results all the same.
              const message = error instanceof Error ? error.message : String(error);
              return { ...untried(`The check could not be run: ${message}`), durationMs: 0 };
            },
          );
      const isDoubtful = check.network && !outcome.pass && !isUntried(outcome);
      if (isDoubtful && !(await parts.network.isThereAfter(began)))
        // Nor are its scripts' own results worth anything.
        outcome = {
          ...untried(`${NO_NETWORK} (${outcome.error ?? "it failed"})`),
          durationMs: outcome.durationMs,
        };
      outputs.put(check, outcome);
      const follow = { check, canary, time, nextAt: claim.nextAt };
      const ended = isUntried(outcome) ? "untried" : outcome.pass ? "passed" : "failed";
      parts.metrics.runs.inc({ type: check.type, outcome: ended });
      const results = await followOutcome(parts, follow, outcome);
      found.push(...results.map(({ result }) => ({ check, result })));
      all.push(...results);
      if (isLate) handOver();
    });
  } catch (error) {
    if (!(error instanceof StoppedRun)) throw error;
    isStopped = true;
  } finally {
    outputs.end();
    clearTimeout(late);
  }
  const whole = runOf(canary.id, all);
  parts.done(claim);
  await writer.add({
    results: withDue(run, found, now()),
    claims: isStopped ? [] : [claim],
    // A run that is stopped is run again, and told then.
    runs: whole && !isStopped ? [whole] : [],
  });
}

/** Of a run before this one, of which the details are not at hand. */
const outputOfResult = (result: RunResult | undefined): Mapping | undefined =>
  result && {
    results: {},
    pass: result.pass,
    message: result.message ?? "",
    error: result.error ?? "",
    duration: result.durationMs,
  };

interface Found {
  check: StoredCheck;
  result: CheckResult;
}

/** Says by when each must have its next result, when this run has ended by `end`. */
function withDue({ claim, canary }: ClaimRun, found: readonly Found[], end: Date): CheckResult[] {
  const slot = claim.nextAt && canary.slotAfter(end);
  return found.map(({ check, result }) => ({ ...result, dueAt: dueAt(slot, check) }));
}

export const dueAt = (slot: Date | undefined, { allowanceMs }: StoredCheck): Date | undefined =>
  slot && new Date(slot.getTime() + allowanceMs);

async function runOne(
  parts: RunParts,
  run: ClaimRun,
  { check, context, time }: { check: StoredCheck; context: RunContext; time: Date },
): Promise<FinishedOutcome> {
  const { connector, artifacts: store } = parts;
  const artifacts = check.leavesFiles ? store.begin({ checkId: check.id, time }) : undefined;
  if (!check.judge)
    return runCheck({ check, connector, stop: run.claim.signal, context, artifacts });
  const outcome = judgeCalls(check, run, parts.startedAt);
  return (await check.begin(context).finish?.(outcome)) ?? outcome;
}

export function judgeCalls(
  check: StoredCheck,
  { now, lastCalls }: Pick<ClaimRun, "now" | "lastCalls">,
  startedAt: Date,
): TimedOutcome {
  if (!check.judge) throw new Error(`Nobody calls a check of type ${check.type}.`);
  const last = lastCalls.get(check.id);
  const isOld = last === undefined || last.at < startedAt;
  const outcome = check.judge({
    // While no server ran, nobody listened: a caller gets its time again from the start on.
    ...(isOld ? {} : { last: last.at }),
    ...(last?.call && { kept: { at: last.at, call: last.call } }),
    since: check.createdAt > startedAt ? check.createdAt : startedAt,
    now: now(),
  });
  return { ...outcome, durationMs: 0 };
}

/** The result of a run, and those of the checks that its transform made. */
export async function followOutcome(
  { db, ctx, checkMetrics }: Pick<RunParts, "db" | "ctx" | "checkMetrics">,
  run: { check: StoredCheck; canary: LoadedCanary; time: Date; nextAt: Date | undefined },
  outcome: FinishedOutcome,
): Promise<{ name: string; result: CheckResult }[]> {
  const { check, canary, time, nextAt } = run;
  const { made = [], metrics = [], canaries = [] } = outcome;
  let own: TimedOutcome = outcome;
  const samples = [...metrics, ...made.flatMap((one) => one.metrics)];
  if (samples.length > 0) {
    const intervalMs = nextAt ? nextAt.getTime() - time.getTime() : 0;
    const refused = checkMetrics.add(samples, { now: time.getTime(), intervalMs });
    const message = [own.message, ...new Set(refused)].filter(Boolean).join("; ");
    if (refused.length > 0) own = { ...own, message };
  }
  const children: { name: string; result: CheckResult }[] = [];
  try {
    if (canaries.length > 0) {
      if (canary.isMade)
        throw new Error("makes canaries, and its own was made by a check already: one is enough");
      const maker = { checkId: check.id, namespace: canary.namespace };
      await saveMadeCanaries(ctx, canaryKind, maker, canaries);
    }
    const parent = { ...check, canaryId: canary.id };
    const { placed, refused } = await placeMade(db, parent, made);
    for (const { checkId, made: one } of placed) {
      const result = resultOf(
        { ...check, id: checkId, severity: one.severity ?? check.severity },
        time,
        { ...one.outcome, durationMs: one.outcome.durationMs || own.durationMs },
        nextAt,
      );
      children.push({ name: `${check.name}/${one.name}`, result });
    }
    if (refused[0])
      throw new Error(
        `the ${refused[0].type} check "${refused[0].name}" is there already and was not made by this one`,
      );
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The database is away for a moment: that is no fault of the check, and its own result is written later.
    if (!isTransient(error))
      own = {
        ...own,
        pass: false,
        error: inTransform(message),
        // What the database refuses to keep says nothing of the target.
        ...(error instanceof pg.DatabaseError && { untried: true }),
      };
  }
  if (check.makesChecks && isUntried(own)) {
    // Of those that it made before nothing is known either.
    const why = untried(`"${check.name}", which makes this check, could not be run: ${own.error}`);
    for (const { id, name, severity } of await readMade(db, check.id))
      children.push({
        name: `${check.name}/${name}`,
        result: resultOf(
          { ...check, id, severity: severity ?? check.severity },
          time,
          { ...why, durationMs: 0 },
          nextAt,
        ),
      });
  }
  return [{ name: check.name, result: resultOf(check, time, own, nextAt) }, ...children];
}

const inTransform = (message: string) =>
  message.startsWith("transform: ") ? message : `transform: ${message}`;

export function resultOf(
  check: StoredCheck,
  time: Date,
  outcome: TimedOutcome,
  nextAt: Date | undefined,
): CheckResult {
  return checkResult({
    checkId: check.id,
    time,
    durationMs: outcome.durationMs,
    pass: outcome.pass,
    invalid: outcome.invalid,
    untried: outcome.untried,
    expires: outcome.expires,
    message: outcome.message,
    error: outcome.error,
    details: outcome.details,
    severity: check.severity,
    failuresNeeded: check.failuresNeeded,
    successesNeeded: check.successesNeeded,
    nextAt,
  });
}
