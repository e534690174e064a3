import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "sql-template-tag";
import type { Database, Queryable } from "#platform/db/database.ts";
import type { Log } from "#platform/log.ts";
import type { Claim } from "#platform/jobs/claims.ts";
import type { RunnerMetrics } from "../runner/runner-metrics.ts";
import type { CheckResult } from "./check-result.ts";
import { touchVersion, writeResults, writeUnknown } from "./write-results.ts";

/** What is written in one transaction, or not at all. */
export interface ResultEntry {
  results?: readonly CheckResult[];
  /** Checks that were not run because nobody could have told their state. */
  unknown?: readonly string[];
  /** Claims that end with it. */
  claims?: readonly Claim[];
}

export interface ResultWriter {
  /** Resolves when the entry is written, or given up and reported. */
  add(entry: ResultEntry): Promise<void>;
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
  flushMs?: number;
}

interface Waiting extends ResultEntry {
  done(): void;
}

const RETRY_MS = { first: 100, longest: 5_000 };
/** When stopping, tries that may fail before what is left is given up. */
const LAST_TRIES = 3;

export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { db, log, metrics, writer, batch = 500, most = 50_000, flushMs = 50 } = options;
  let queue: Waiting[] = [];
  let waiting = 0;
  let stopping = false;
  let wake = () => {};
  let makeRoom: (() => void)[] = [];
  const sizeOf = (entry: ResultEntry) => entry.results?.length ?? 0;

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
    const written = new Promise<void>((done) => {
      queue.push({ ...entry, ...(isTooMuch ? { results: [] } : {}), done });
    });
    if (waiting >= batch) wake();
    return written;
  }

  function take(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < queue.length && size < batch) size += sizeOf(queue[count++]!);
    const taken = queue.slice(0, count);
    queue = queue.slice(count);
    return taken;
  }

  async function flush(entries: readonly ResultEntry[]): Promise<void> {
    const results = entries.flatMap((entry) => entry.results ?? []);
    const claims = entries.flatMap((entry) => entry.claims ?? []);
    const unknown = [...new Set(entries.flatMap((entry) => entry.unknown ?? []))];
    await db.transaction((tx) => writeBatch(tx, { results, unknown, claims }), {
      asyncCommit: true,
    });
    options.released(claims);
    metrics.flushSize.observe(results.length);
  }

  async function writeBatch(
    tx: Queryable,
    { results, unknown, claims }: Required<ResultEntry>,
  ): Promise<void> {
    for (const wave of wavesOf(results)) await writeResults(tx, wave);
    const turned = unknown.length > 0 ? await writeUnknown(tx, unknown) : 0;
    if (results.length + turned > 0) await touchVersion(tx, writer);
    if (claims.length > 0) await tx.run(options.releaseSql(claims));
  }

  /** Tries until it is written; gives up on what the database will never take, one by one, and says so. */
  async function deliver(entries: readonly ResultEntry[]): Promise<void> {
    let wait = RETRY_MS.first;
    for (let tries = 1; ; tries++) {
      try {
        return await flush(entries);
      } catch (error) {
        if (isRefusal(error)) return deliverSingly(entries, error);
        const lost = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
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

  async function deliverSingly(entries: readonly ResultEntry[], error: unknown): Promise<void> {
    const [only] = entries;
    if (entries.length > 1) {
      for (const entry of entries) await deliver([entry]);
    } else if (only && sizeOf(only) > 0) {
      metrics.resultsLost.inc(sizeOf(only));
      log.error(
        { err: error, checks: only.results?.map((result) => result.checkId) },
        "the database refuses a result; it is lost",
      );
      await deliver([{ ...only, results: [] }]);
    } else throw error;
  }

  async function loop(): Promise<void> {
    for (;;) {
      if (!stopping && waiting < batch) await pause();
      while (queue.length > 0) {
        const entries = take();
        await deliver(entries).catch((error: unknown) => {
          log.error(
            { err: error },
            "claims could not be let go; they are given back when this server ends",
          );
        });
        for (const entry of entries) {
          waiting -= sizeOf(entry);
          entry.done();
        }
        metrics.resultsWaiting.set(waiting);
        for (const go of makeRoom.splice(0)) go();
      }
      if (stopping) return;
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, flushMs);
      function done() {
        clearTimeout(timer);
        resolve();
      }
      wake = done;
    });
  }

  const running = loop();
  return {
    add,
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

/** Data that will never be taken, whenever it is sent again. */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^(22|23|42|54)/.test(code);
}
