import { randomUUID } from "node:crypto";
import { type Db, type Job, type JobResult, PgBoss } from "pg-boss";
import type { Ctx, EnqueueOptions } from "../context.ts";
import { holdLock } from "../db/advisory-locks.ts";
import type { Database, Queryable } from "../db/database.ts";
import { createGate } from "../gate.ts";
import type { Listener } from "../events/listener.ts";
import type { Log } from "../log.ts";
import { messageOf, recordRun } from "./history.ts";
import { QUEUE_SCHEMA } from "./install-queue.ts";
import type { JobDefinition, RunCtx } from "./job.ts";
import { runLimited, settlesWithin, STOP_GRACE_MS } from "./limited-run.ts";

/*
 * Jobs on pg-boss. What it does: storage, order, claims, heartbeats, retries, waking by NOTIFY. What is added here:
 * payloads checked by schema, limits of time, history rows, and the difference between a try that failed and one that
 * its worker took to the grave (which must come back even for a job without retries).
 */

const DEAD_LETTERS = "dead-letters";
/** Tries beyond a job's own retries, used up only by workers that died; after that the job is what kills them. */
const LOST_TRIES = 2;
/** pg-boss's smallest. A killed worker's job is back after this, plus one supervision, one back-off and one poll. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
/** No job here waits for another, which is what these looks are for. */
const FLOW_SECONDS = 3600;
const LONGEST_BACKOFF_SECONDS = 3600;
/** Statements of pg-boss at once: all its workers look for jobs at the same moment, and would keep a connection each. */
const STATEMENTS_AT_ONCE = 2;

export interface QueueOptions {
  db: Database;
  log: Log;
  listener: Listener;
  /** Of all features; a name may be there once. */
  jobs: readonly JobDefinition[];
  createCtx: RunCtx;
  /** Back-off before the first further try; doubles with each. */
  retryDelaySeconds?: number;
  /** Between looks for what no notification announces: retries, and jobs with a start time. */
  pollSeconds?: number;
  /** How long `stop` waits for running jobs before it aborts them. */
  stopGraceMs?: number;
}

export interface DeadLetter {
  id: string;
  /** The job's name. */
  job: string;
  payload: object;
  error: string;
  createdAt: Date;
}

export interface Queue {
  /** Makes the queues ready; also takes jobs when `work`. */
  start(options: { work: boolean }): Promise<void>;
  stop(): Promise<void>;
  /** Inside the transaction of `queryable`: the job exists when that commits. */
  enqueue<Payload extends object>(
    queryable: Queryable,
    job: JobDefinition<Payload>,
    payload: Payload,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Jobs that were given up, newest first. */
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Puts given-up jobs back into their queues. */
  retryDeadLetters(ids: string[]): Promise<number>;
}

export function createQueue(options: QueueOptions): Queue {
  const {
    db,
    log,
    listener,
    createCtx,
    retryDelaySeconds = 2,
    pollSeconds = 5,
    stopGraceMs = 10_000,
  } = options;
  const jobs = indexByName(options.jobs);
  const stopping = new AbortController();
  let started = false;

  const boss = new PgBoss({
    db: databaseFor(db, listener),
    schema: QUEUE_SCHEMA,
    // The owner of the schema does that (install-queue.ts).
    migrate: false,
    // Slots are given out by schedules.ts.
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    flowIntervalSeconds: FLOW_SECONDS,
  });
  boss.on("error", (error) => log.error({ err: error }, "the job queue reported an error"));
  boss.on("warning", ({ message, data }) => log.warn({ data }, `job queue: ${message}`));

  /** Servers that start together make the queues one after the other; pg-boss by itself trips over that. */
  async function alone(work: () => Promise<void>): Promise<void> {
    const client = await db.connect();
    try {
      await holdLock(client, "queues");
      await work();
    } finally {
      await client.end();
    }
  }

  async function createQueues(): Promise<void> {
    await boss.createQueue(DEAD_LETTERS);
    for (const job of jobs.values()) {
      const settings = {
        retryLimit: job.retries + LOST_TRIES,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: LONGEST_BACKOFF_SECONDS,
        expireInSeconds: Math.ceil((job.timeoutMs + STOP_GRACE_MS) / 1000) + 30,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        deleteAfterSeconds: 86_400,
        deadLetter: DEAD_LETTERS,
        notify: true,
      };
      await boss.createQueue(job.name, { ...settings, policy: "short" });
      // An older version of the program may have made it with other limits.
      await boss.updateQueue(job.name, settings);
    }
  }

  async function work(job: JobDefinition): Promise<void> {
    for (let i = 0; i < job.concurrency; i++) {
      let id: string | undefined;
      id = await boss.work<object>(
        job.name,
        {
          batchSize: 1,
          perJobResults: true,
          pollingIntervalSeconds: Math.min(2, pollSeconds),
          notifyPollingIntervalSeconds: pollSeconds,
        } as const,
        async ([item]) => {
          if (!item) return [];
          const result = await perform(job, item);
          // One more may be waiting: look again at once instead of at the next poll.
          if (id) boss.notifyWorker(id);
          return [result];
        },
      );
    }
  }

  async function perform(job: JobDefinition, item: Job): Promise<JobResult> {
    const runLog = log.child({ job: job.name, jobId: item.id });
    const giveUp = (why: string): JobResult => {
      runLog.error({ attempt: item.retryCount + 1 }, `job ${job.name} was given up: ${why}`);
      return { id: item.id, status: "deadletter", output: { message: why } };
    };
    const payload = job.payload.safeParse(item.data);
    if (!payload.success) return giveUp(`its payload is wrong: ${payload.error.message}`);
    const run = async (progress?: Ctx["progress"]) => {
      const stop = AbortSignal.any([stopping.signal, item.signal]);
      await runLimited({ name: job.name, timeoutMs: job.timeoutMs, stop }, (signal) =>
        job.run(createCtx({ log: runLog, signal, progress }), payload.data),
      );
      // Cut short by the stop of this server, although it returned: somebody else does it again.
      if (stopping.signal.aborted) throw stopping.signal.reason;
      return { successes: 1, errors: [] };
    };
    try {
      if (job.history === false) await run();
      else {
        const resource = job.history?.resource?.(payload.data);
        const name = {
          name: job.history?.name ?? job.name,
          retention: job.history?.retention ?? "balanced",
        } as const;
        await recordRun(db, resource ? { ...name, resource } : name, run);
      }
      return { id: item.id, status: "completed" };
    } catch (error) {
      const message = messageOf(error);
      if (!stopping.signal.aborted && item.retryCount >= job.retries) return giveUp(message);
      runLog.warn(
        { err: error, attempt: item.retryCount + 1 },
        `job ${job.name} failed and will be tried again`,
      );
      return { id: item.id, status: "failed", output: { message } };
    }
  }

  return {
    async start({ work: takesWork }) {
      await alone(async () => {
        await boss.start();
        started = true;
        await createQueues();
      });
      if (takesWork) for (const job of jobs.values()) await work(job);
    },

    async stop() {
      if (!started) return;
      started = false;
      const drained = Promise.all(
        [...jobs.keys()].map((name) => boss.offWork(name, { wait: true })),
      );
      if (!(await settlesWithin(drained, stopGraceMs))) {
        stopping.abort(new Error("The server is stopping; the job will run again."));
        await settlesWithin(drained, STOP_GRACE_MS + 1_000);
      }
      await boss.stop({ graceful: false, close: false });
    },

    async enqueue(queryable, job, payload, { startAfter, singletonKey } = {}) {
      if (!jobs.has(job.name))
        throw new Error(`The job ${job.name} is not in the list of any feature.`);
      const checked = job.payload.safeParse(payload);
      if (!checked.success)
        throw new Error(`The payload of the job ${job.name} is wrong: ${checked.error.message}`);
      await boss.send(job.name, payload, {
        db: statementsOf(queryable),
        // The queue's policy allows one waiting job per key, so a job without one gets a key nobody else has.
        singletonKey: singletonKey ?? randomUUID(),
        ...(startAfter ? { startAfter } : {}),
      });
    },

    async deadLetters(limit) {
      const found = await boss.findJobs<object>(DEAD_LETTERS, { queued: true });
      return found
        .toSorted((a, b) => b.createdOn.getTime() - a.createdOn.getTime())
        .slice(0, limit)
        .map((job) => ({
          id: job.id,
          job: job.sourceName ?? "",
          payload: job.data,
          error: messageIn(job.sourceOutput),
          createdAt: job.createdOn,
        }));
    },

    retryDeadLetters: (ids) => boss.redrive(DEAD_LETTERS, { ids }),
  };
}

const messageIn = (output: { message?: string } | null) => output?.message ?? "";

function indexByName(jobs: readonly JobDefinition[]): Map<string, JobDefinition> {
  const byName = new Map<string, JobDefinition>();
  for (const job of jobs) {
    if (byName.has(job.name) || job.name === DEAD_LETTERS)
      throw new Error(`The job ${job.name} is declared twice.`);
    if (typeof job.run !== "function") throw new Error(`The job ${job.name} has no handler.`);
    byName.set(job.name, job);
  }
  return byName;
}

const statementsOf = (queryable: Queryable): Db => ({
  executeSql: (text, values) => queryable.raw(text, values),
});

/** pg-boss on our pool and our listening connection. */
function databaseFor(db: Database, listener: Listener): Db {
  const gate = createGate({ running: STATEMENTS_AT_ONCE });

  async function execute(text: string, values?: unknown[]) {
    const client = await db.pool.connect();
    let failure: Error | undefined;
    try {
      return await client.query(text, values);
    } catch (error) {
      // It sends `begin; …; commit` as one text: after a failure the connection is inside a dead transaction.
      failure = error as Error;
      throw error;
    } finally {
      client.release(failure);
    }
  }

  return {
    executeSql: (text, values) => gate.run(() => execute(text, values)),
    async listen(channel, onNotification, onReconnect) {
      const off = await listener.on(channel, (payload) =>
        payload === undefined ? onReconnect() : onNotification(payload),
      );
      onReconnect();
      return {
        close: async () => off(),
      };
    },
  };
}
