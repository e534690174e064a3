import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "sql-template-tag";
import type { Database, Queryable } from "#platform/db/database.ts";
import type { Log } from "#platform/log.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import { storableText } from "#platform/db/storable-text.ts";
import type { RunnerMetrics } from "../runner/runner-metrics.ts";
import { type CheckResult, unstorableResult } from "./check-result.ts";
import { isTransient } from "./transient-error.ts";
import { touchVersion, writeResults } from "./write-results.ts";
import { type CanaryRun, writeRuns } from "./write-runs.ts";

/** What is written in one transaction, or not at all. */
export interface ResultEntry {
  results?: readonly CheckResult[];
  /** Claims that end with it. */
  claims?: readonly Claim[];
  /** Runs that end with it. */
  runs?: readonly CanaryRun[];
}

export interface ResultWriter {
  /** Resolves when the entry is written, or given up and reported. */
  add(entry: ResultEntry): Promise<void>;
  /** How long the oldest that is not written has waited. */
  oldestMs(): number;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Writes what is left, for as long as the database answers. */
  stop(): Promise<void>;
}

export interface ResultWriterOptions {
  db: Database;
  log: Log;
  metrics: RunnerMetrics;
  /** Names this writer among those of all servers. */
  writer: string;
  releaseSql(claims: readonly Claim[]): Sql;
  released(claims: readonly Claim[]): void;
  /** Results in one transaction. */
  batch?: number;
  /** Results that wait for the database at most; more are lost, and counted. */
  most?: number;
  /** Characters of details that wait at most; results that come later are kept without theirs. */
  mostDetails?: number;
  /** What comes within this long after something was written is written together. */
  togetherMs?: number;
}

interface Waiting extends ResultEntry {
  /** On this process's monotonic clock. */
  since: number;
  details: number;
  done(): void;
}

type Batch = Required<ResultEntry>;

/** Characters of details in one transaction; a batch with more is ended early. */
const LARGEST_BATCH = 16 * 1024 * 1024;
const NOT_KEPT = JSON.stringify({
  cut: "The details are not kept: too many results waited for the database.",
});

const SHORT_ERROR = 1_024;

/** Results that are worth a transaction: more at once would hold up the runs that go on meanwhile. */
const ENOUGH = 100;

/** What ends at the same time goes together also when nothing was written lately. */
const COLLECT_MS = 10;

const RETRY_MS = { first: 100, longest: 5_000 };
/** When stopping, tries that may fail before what is left is given up. */
const LAST_TRIES = 3;

export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { db, log, metrics, writer, batch = 500, most = 50_000, togetherMs = 400 } = options;
  const enough = Math.min(batch, ENOUGH);
  const { mostDetails = 64 * 1024 * 1024 } = options;
  let queue: Waiting[] = [];
  let inHand: readonly Waiting[] = [];
  let waiting = 0;
  let waitingDetails = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let stopping = false;
  /** Those that stand in the place of others already. */
  const unstorable = new WeakSet<CheckResult>();
  let wake = () => {};
  let makeRoom: (() => void)[] = [];
  const sizeOf = (entry: ResultEntry) => entry.results?.length ?? 0;
  const detailsOf = ({ results = [] }: ResultEntry) =>
    results.reduce((sum, { details = "", error = "" }) => sum + details.length + error.length, 0);
  const oldestMs = () => {
    const oldest = (inHand[0] ?? queue[0])?.since;
    return oldest === undefined ? 0 : performance.now() - oldest;
  };
  metrics.readOldest(oldestMs);

  function add(entry: ResultEntry): Promise<void> {
    const size = sizeOf(entry);
    const isTooMuch = waiting + size > most;
    if (isTooMuch) {
      metrics.resultsLost.inc(size);
      log.error(
        { waiting, lost: size },
        "the database does not take results fast enough; results are lost",
      );
    } else waiting += size;
    metrics.resultsWaiting.set(waiting);
    let kept = isTooMuch ? { ...entry, results: [] } : entry;
    let details = detailsOf(kept);
    if (details > 0 && waitingDetails + details > mostDetails) {
      kept = { ...kept, results: kept.results?.map(withoutDetails) };
      details = 0;
    }
    waitingDetails += details;
    const isFirst = queue.length === 0 && inHand.length === 0;
    const written = new Promise<void>((done) => {
      queue.push({ ...kept, details, since: performance.now(), done });
    });
    if (isFirst || waiting >= enough) wake();
    return written;
  }

  function take(): Waiting[] {
    let size = 0;
    let details = 0;
    let count = 0;
    while (count < queue.length && size < batch && details < LARGEST_BATCH) {
      const entry = queue[count++]!;
      size += sizeOf(entry);
      details += entry.details;
    }
    const taken = queue.slice(0, count);
    queue = queue.slice(count);
    return taken;
  }

  async function flush({ results, claims, runs }: Batch): Promise<void> {
    await db.transaction((tx) => writeBatch(tx, { results, claims, runs }), { asyncCommit: true });
    options.released(claims);
    metrics.flushSize.observe(results.length);
  }

  async function writeBatch(tx: Queryable, { results, claims, runs }: Batch): Promise<void> {
    for (const wave of wavesOf(results)) await writeResults(tx, wave);
    if (results.length > 0) await touchVersion(tx, writer);
    if (runs.length > 0) await writeRuns(tx, runs);
    if (claims.length > 0)
      await tx.run(options.releaseSql(claims), { preparedAs: "release-claims" });
  }

  /** Tries for as long as it is the database that is away; what it refuses is looked for and taken out. */
  async function deliver(taken: Batch): Promise<void> {
    let wait = RETRY_MS.first;
    for (let tries = 1; ; tries++) {
      try {
        return await flush(taken);
      } catch (error) {
        if (!isTransient(error)) return deliverInParts(taken, error);
        const lost = taken.results.length;
        if (stopping && tries >= LAST_TRIES) {
          metrics.resultsLost.inc(lost);
          log.error(
            { err: error, lost },
            "the server stops and the database does not take these results; they are lost",
          );
          return;
        }
        log.error({ err: error, results: lost }, "results could not be written; trying again");
        await delay(wait, undefined, { ref: false });
        wait = Math.min(wait * 2, RETRY_MS.longest);
      }
    }
  }

  /**
   * Something in it is not taken, now or ever. The results are halved until those that are at fault are alone, and
   * those are stored as runs that say nothing of their target; then the rest, so that a claim never hangs on what could
   * not be stored.
   */
  async function deliverInParts(taken: Batch, error: unknown): Promise<void> {
    const { results, claims, runs } = taken;
    const nothing: Batch = { results: [], claims: [], runs: [] };
    if (results.length > 1) {
      const middle = Math.ceil(results.length / 2);
      await deliver({ ...nothing, results: results.slice(0, middle) });
      await deliver({ ...nothing, results: results.slice(middle) });
    } else if (results[0]) await deliverUnstorable(results[0], error);
    const isAlone = results.length === 0;
    if (isAlone && runs.length > 0) {
      // What the history says is worth less than letting go of what was run.
      log.error({ err: error, runs: runs.length }, "runs could not be written to the job history");
      return deliver({ ...taken, runs: [] });
    }
    if (isAlone) {
      log.error(
        { err: error, claims: claims.map((claim) => claim.key) },
        "claims could not be let go in time; the scheduler gives them back",
      );
      options.released(claims);
      return;
    }
    if (claims.length + runs.length > 0) await deliver({ ...nothing, claims, runs });
  }

  async function deliverUnstorable(result: CheckResult, error: unknown): Promise<void> {
    log.error({ err: error, check: result.checkId }, "a result could not be stored as it is");
    if (!unstorable.has(result)) {
      const lost = unstorableResult(result, error);
      unstorable.add(lost);
      await deliver({ results: [lost], claims: [], runs: [] });
      return;
    }
    metrics.resultsLost.inc();
    log.error(
      { err: error, check: result.checkId },
      "not even that a result could not be stored could be stored; it is lost",
    );
  }

  async function loop(): Promise<void> {
    for (;;) {
      if (!stopping && waiting < enough) await pause();
      if (queue.length > 0) await writeNext();
      else if (stopping) return;
    }
  }

  async function writeNext(): Promise<void> {
    inHand = take();
    await deliver({
      results: inHand.flatMap((entry) => entry.results ?? []),
      claims: inHand.flatMap((entry) => entry.claims ?? []),
      runs: inHand.flatMap((entry) => entry.runs ?? []),
    });
    for (const entry of inHand) {
      waiting -= sizeOf(entry);
      waitingDetails -= entry.details;
      entry.done();
    }
    inHand = [];
    writtenAt = performance.now();
    metrics.resultsWaiting.set(waiting);
    for (const go of makeRoom.splice(0)) go();
  }

  /** Until something is there to be written, and its time has come or it is enough for one transaction. */
  async function pause(): Promise<void> {
    if (queue.length === 0) await asleep();
    const untilMs = writtenAt + togetherMs - performance.now();
    if (!stopping && waiting < enough) await asleep(Math.max(COLLECT_MS, untilMs));
  }

  function asleep(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        wake = () => {};
        resolve();
      }
      wake = done;
    });
  }

  const running = loop();
  return {
    add,
    oldestMs,
    async room() {
      const isFull = () => waiting >= most / 2 && !stopping;
      while (isFull()) await new Promise<void>((resolve) => makeRoom.push(resolve));
    },
    async stop() {
      stopping = true;
      wake();
      await running;
      for (const go of makeRoom.splice(0)) go();
    },
  };
}

/** What can be left out of a result when memory is short: its verdict stays. */
const withoutDetails = (result: CheckResult): CheckResult => ({
  ...result,
  details: NOT_KEPT,
  ...(result.error !== undefined && { error: storableText(result.error, SHORT_ERROR) }),
});

/** A statement takes one result per check; further ones of the same check follow in their order. */
function wavesOf(results: readonly CheckResult[]): CheckResult[][] {
  const waves: CheckResult[][] = [];
  const seen = new Map<string, number>();
  for (const result of results) {
    const wave = seen.get(result.checkId) ?? 0;
    seen.set(result.checkId, wave + 1);
    (waves[wave] ??= []).push(result);
  }
  return waves;
}
