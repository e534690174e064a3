import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import type { Listener } from "../events/listener.ts";
import type { Log } from "../log.ts";
import {
  type Claim,
  claimDue,
  lookAhead,
  pullIn,
  releaseSql,
  skipPassed,
  voidClaims,
} from "./claims.ts";
import { createDatabaseClock } from "./database-clock.ts";
import { settlesWithin, STOP_GRACE_MS } from "./limited-run.ts";
import { SCHEDULES_CHANGED } from "./slots.ts";
import type { WorkerRegistry } from "./worker-registry.ts";

/*
 * What runs by the clock. Every row of `schedules` has one next slot. A worker that finds it due claims it: in one
 * transaction the slot becomes its own and the row moves on to the next. While a row is claimed nobody claims it
 * again; a slot that passes meanwhile is skipped. When a worker dies, its claims are void and due at once. All
 * decisions are made by the database's clock.
 */

export interface ScheduleKind {
  kind: string;
  /** Slots held at the same time by one worker. */
  concurrency: number;
  /**
   * Slots are claimed so long before they come, 0 when absent: `run` waits for each by itself. Many a second then cost
   * a few transactions, and each begins on time.
   */
  leadMs?: number;
  /** A longer lead, for as long as few come due: what a claim costs is then shared by more. `leadMs` when absent. */
  leadOfFewMs?: number;
  /**
   * Runs slots that have just been claimed; is not waited for. Claims may be let go one by one before it ends (by
   * `release`, or by the scheduler's `releaseSql` in a transaction of its own and then `released`); the rest is let
   * go when it ends. `now` is the database's time.
   */
  run(claims: Claim[], release: (claim: Claim) => Promise<void>, now: () => Date): Promise<void>;
  /** Slots that passed while the run before them was still going. */
  skipped?(slots: { key: string; slot: Date }[]): Promise<void>;
}

export interface SchedulerOptions {
  db: Database;
  log: Log;
  listener: Listener;
  workers: WorkerRegistry;
  kinds: readonly ScheduleKind[];
  /** How long `stop` waits for what runs before it aborts it. */
  stopGraceMs?: number;
}

export interface Scheduler {
  start(): Promise<void>;
  /** Claims nothing more, waits for what runs, then gives back what did not end. */
  stop(): Promise<void>;
  release(claims: readonly Claim[]): Promise<void>;
  /** For the kind's own transaction; what it returns was still held, anything else has gone to another worker. */
  releaseSql(claims: readonly Claim[]): ReturnType<typeof releaseSql>;
  /** After that transaction has committed. */
  released(claims: readonly Claim[]): void;
  /** What these were claimed for is done, and only has to be written: others may be claimed in their place. */
  done(claim: Claim): void;
}

const BATCH = 500;
const LONGEST_SLEEP_MS = 1_000;
/** Due slots are collected for this long, so that many a second cost a few transactions and not one each. */
const COLLECT_MS = 20;
/** Claims in hand for each that may run: those that are done wait to be written. */
const HELD_PER_RUNNING = 4;
/** Of a lead, what is left for the claim itself. */
const LEAD_LEFT_MS = 50;
/** Few have come due when one claim took at most this share of those that may run; again few, when half of it. */
const FEW = 1 / 4;
const RECONCILE_MS = 10_000;
const RETRY_MS = 500;
/** A database's clock that was set back by more than this is a jump, and by less only late for its slots. */
const JUMP_MS = 2_000;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { db, log, listener, workers, kinds, stopGraceMs = 10_000 } = options;
  const loops = new Map<string, KindLoop>();
  for (const kind of kinds) {
    if (loops.has(kind.kind))
      throw new Error(`The kind of schedule ${kind.kind} is declared twice.`);
    loops.set(kind.kind, new KindLoop(kind, db, log, workers.id));
  }
  const each = <T>(work: (loop: KindLoop) => T) => [...loops.values()].map(work);
  let unlisten: (() => void) | undefined;

  workers.onLost(() => each((loop) => loop.lose()));

  return {
    async start() {
      unlisten = await listener.on(SCHEDULES_CHANGED, () => each((loop) => loop.wake()));
      each((loop) => loop.start());
    },
    async stop() {
      unlisten?.();
      await Promise.all(each((loop) => loop.stop(stopGraceMs)));
    },
    async release(claims) {
      await Promise.all(
        each((loop) => loop.release(claims.filter((claim) => claim.kind === loop.kind))),
      );
    },
    releaseSql: (claims) => releaseSql(workers.id, claims),
    released: (claims) => {
      for (const claim of claims) loops.get(claim.kind)?.forget([claim]);
    },
    done: (claim) => loops.get(claim.kind)?.done(claim),
  };
}

class KindLoop {
  readonly kind: string;
  readonly #definition: ScheduleKind;
  readonly #db: Database;
  readonly #log: Log;
  readonly #workerId: string;
  /** By key; a claim that was lost stays until its run has ended, so that the row is not run twice here. */
  readonly #held = new Map<string, Claim>();
  /** Of those, the ones whose work is done. */
  readonly #done = new Set<Claim>();
  readonly #running = new Set<Promise<void>>();
  #lost = new Set<string>();
  #releasing: Promise<void> | undefined;
  #toRelease: Claim[] = [];
  #life = new AbortController();
  readonly #stopping = new AbortController();
  #sleeper = new AbortController();
  #awake = false;
  #loop: Promise<void> = Promise.resolve();
  readonly #clock = createDatabaseClock();
  /** At the start, and when the database's clock went back: a next slot may lie further ahead than it should. */
  #mayLieAhead = true;
  #areMany = false;
  #reconciledAt = performance.now();

  constructor(definition: ScheduleKind, db: Database, log: Log, workerId: string) {
    this.kind = definition.kind;
    this.#definition = definition;
    this.#db = db;
    this.#log = log.child({ schedules: definition.kind });
    this.#workerId = workerId;
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(): void {
    this.#awake = true;
    this.#sleeper.abort();
  }

  /** Others may have these claims now: tell the runs, and start over with a clean sheet. */
  lose(): void {
    for (const key of this.#held.keys()) this.#lost.add(key);
    this.#life.abort(new Error("This run's claim may have gone to another server."));
    this.#life = new AbortController();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#loop;
    if (!(await settlesWithin(Promise.all(this.#running), graceMs))) {
      this.#life.abort(new Error("The server is stopping."));
      await settlesWithin(Promise.all(this.#running), STOP_GRACE_MS);
    }
    await voidClaims(this.#db, this.#workerId, this.kind);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      let sleepMs = RETRY_MS;
      try {
        sleepMs = await this.#cycle();
      } catch (error) {
        this.#log.error({ err: error }, "cannot claim what is due; trying again");
      }
      await this.#sleep(sleepMs);
    }
  }

  /** Returns how long to sleep. */
  async #cycle(): Promise<number> {
    const askedMs = performance.now();
    const { now, nextAt } = await lookAhead(this.#db, this.kind);
    if (this.#clock.saw(now, askedMs) < -JUMP_MS) this.#mayLieAhead = true;
    await this.#pullIn();
    await this.#skipPassed(now);
    await this.#reconcile();
    if (this.#stopping.signal.aborted) return 0;
    const leadMs = this.#leadMs();
    const free = this.#free();
    if (free <= 0) return LONGEST_SLEEP_MS;
    const aheadMs = nextAt ? nextAt.getTime() - now.getTime() - leadMs : Number.POSITIVE_INFINITY;
    if (aheadMs <= 0) {
      const limit = Math.min(free, BATCH);
      const claimed = await claimDue(this.#db, {
        kind: this.kind,
        workerId: this.#workerId,
        limit,
        leadMs,
        except: [...this.#lost],
        log: this.#log,
      });
      const { concurrency } = this.#definition;
      this.#areMany = claimed.length > concurrency * (this.#areMany ? FEW / 2 : FEW);
      if (claimed.length > 0) this.#take(claimed);
      if (claimed.length === limit) return 0;
      return Math.min(LONGEST_SLEEP_MS, Math.max(COLLECT_MS, leadMs - LEAD_LEFT_MS));
    }
    // Not at once when the first comes into reach: those that come after it are then claimed with it.
    const waitMs = leadMs > LEAD_LEFT_MS ? aheadMs + leadMs - LEAD_LEFT_MS : aheadMs;
    return Math.max(1, Math.min(LONGEST_SLEEP_MS, waitMs));
  }

  #leadMs(): number {
    const { leadMs = 0, leadOfFewMs = leadMs } = this.#definition;
    return this.#areMany ? leadMs : leadOfFewMs;
  }

  /** A database that takes nothing for a while does not make the list of what is to be written endless. */
  #free(): number {
    const { concurrency } = this.#definition;
    const atWork = this.#held.size - this.#done.size;
    return Math.min(concurrency - atWork, concurrency * HELD_PER_RUNNING - this.#held.size);
  }

  #take(claimed: Omit<Claim, "signal">[]): void {
    const claims = claimed.map((claim) => ({ ...claim, signal: this.#life.signal }));
    for (const claim of claims) this.#held.set(claim.key, claim);
    const run = this.#runClaims(claims);
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  async #runClaims(claims: Claim[]): Promise<void> {
    try {
      const now = () => new Date(this.#clock.nowMs());
      await this.#definition.run(claims, (claim) => this.release([claim]), now);
    } catch (error) {
      this.#log.error({ err: error }, "a run by the clock failed");
    }
    // A run that was told to stop has not done its work: its slots are not let go but given back.
    await this.release(claims.filter((claim) => !claim.signal.aborted));
    this.forget(claims.filter((claim) => claim.signal.aborted));
  }

  /** Claims that were let go before are left out; releases that come together go in one statement. */
  async release(claims: readonly Claim[]): Promise<void> {
    const held = claims.filter((claim) => this.#held.get(claim.key) === claim);
    if (held.length === 0) return;
    this.#toRelease.push(...held);
    this.#releasing ??= this.#releaseAll();
    await this.#releasing;
  }

  async #releaseAll(): Promise<void> {
    await Promise.resolve();
    while (this.#toRelease.length > 0) {
      const claims = this.#toRelease;
      this.#toRelease = [];
      for (;;) {
        try {
          await this.#db.run(releaseSql(this.#workerId, claims), { preparedAs: "release-claims" });
          break;
        } catch (error) {
          this.#log.error({ err: error }, "cannot release what has been run; trying again");
          // Whatever is left at the end of the process is given back by its removal from the registry.
          if (this.#stopping.signal.aborted) break;
          await delay(RETRY_MS, undefined, { ref: false });
        }
      }
      this.forget(claims);
    }
    // In the same step as the look at the empty list, so that nothing is pushed unseen.
    this.#releasing = undefined;
  }

  done(claim: Claim): void {
    if (this.#held.get(claim.key) !== claim) return;
    const wasFull = this.#free() <= 0;
    this.#done.add(claim);
    if (wasFull) this.wake();
  }

  forget(claims: readonly Claim[]): void {
    const wasFull = this.#free() <= 0;
    for (const claim of claims) {
      if (this.#held.get(claim.key) !== claim) continue;
      this.#held.delete(claim.key);
      this.#done.delete(claim);
      this.#lost.delete(claim.key);
    }
    if (wasFull) this.wake();
  }

  async #skipPassed(now: Date): Promise<void> {
    const passed = [...this.#held.values()]
      .filter((claim) => claim.nextAt && claim.nextAt <= now)
      .map((claim) => claim.key);
    if (passed.length === 0) return;
    const skipped = await skipPassed(this.#db, {
      kind: this.kind,
      workerId: this.#workerId,
      keys: passed,
      log: this.#log,
    });
    for (const { key, nextAt } of skipped) {
      const claim = this.#held.get(key);
      if (claim) claim.nextAt = nextAt;
    }
    if (skipped.length > 0) await this.#definition.skipped?.(skipped);
  }

  async #pullIn(): Promise<void> {
    if (!this.#mayLieAhead) return;
    const { leadMs: least = 0, leadOfFewMs: leadMs = least } = this.#definition;
    const pulled = await pullIn(this.#db, { kind: this.kind, leadMs, log: this.#log });
    this.#mayLieAhead = false;
    if (pulled > 0)
      this.#log.warn({ rows: pulled }, "the clock went back; next slots were pulled in");
  }

  /** A commit whose answer was lost leaves claims that nobody runs. */
  async #reconcile(): Promise<void> {
    if (performance.now() - this.#reconciledAt < RECONCILE_MS) return;
    this.#reconciledAt = performance.now();
    const freed = await voidClaims(this.#db, this.#workerId, this.kind, [...this.#held.keys()]);
    if (freed > 0) this.#log.warn({ rows: freed }, "claims that nobody ran were given back");
  }

  async #sleep(ms: number): Promise<void> {
    if (ms <= 0 || this.#stopping.signal.aborted) return;
    if (!this.#awake) {
      this.#sleeper = new AbortController();
      await delay(ms, undefined, { signal: this.#sleeper.signal }).catch(() => undefined);
    }
    this.#awake = false;
  }
}
