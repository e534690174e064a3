// Takes long: workers are killed, and their jobs come back when their heartbeat has been missed.
import sql from "sql-template-tag";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Ctx } from "../context.ts";
import { defineJob, type JobDefinition } from "./job.ts";
import { createQueue, type Queue, type QueueOptions } from "./queue.ts";
import { createTestParts, type OwnedTestParts } from "./testing/database.ts";
import { eventually } from "./testing/eventually.ts";
import { startTestProcess } from "./testing/process.ts";

let parts: OwnedTestParts;
const queues: Queue[] = [];

beforeAll(async () => {
  parts = await createTestParts();
});
afterAll(() => parts.close());
afterEach(async () => {
  await Promise.all(queues.splice(0).map((queue) => queue.stop()));
});

const Numbered = z.object({ n: z.number() });
type Numbered = z.infer<typeof Numbered>;

let names = 0;
function numbered(
  run: (ctx: Ctx, payload: Numbered) => Promise<void>,
  options: Partial<JobDefinition<Numbered>> = {},
) {
  return defineJob({
    name: `job-${++names}`,
    payload: Numbered,
    concurrency: 1,
    timeoutMs: 30_000,
    retries: 0,
    run,
    ...options,
  });
}

async function startQueue(
  jobs: JobDefinition[],
  options: Partial<QueueOptions> = {},
  work = true,
): Promise<Queue> {
  const queue = createQueue({ ...parts, jobs, retryDelaySeconds: 1, pollSeconds: 0.5, ...options });
  queues.push(queue);
  await queue.start({ work });
  return queue;
}

const history = (name: string) =>
  parts.db.rows<{
    status: string;
    resource_id: string | null;
    error_count: number;
    details: { errors?: string[] } | null;
  }>(
    sql`select status, resource_id, error_count, details from job_history where name = ${name} order by created_at`,
  );

const waiting = async (name: string) =>
  (
    await parts.db.first<{ n: number }>(
      sql`select count(*) as n from pgboss.job where name = ${name} and state = 'created'`,
    )
  )?.n;

test("a job commits with the transaction that wrote it, and not without", async () => {
  const seen: number[] = [];
  const job = numbered(async (_ctx, { n }) => void seen.push(n));
  const queue = await startQueue([job]);
  const undone = parts.db.transaction(async (tx) => {
    await queue.enqueue(tx, job, { n: 1 });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  await parts.db.transaction((tx) => queue.enqueue(tx, job, { n: 2 }));
  await eventually(() => expect(seen).toEqual([2]));
  await eventually(async () =>
    expect(await history(job.name)).toMatchObject([{ status: "SUCCESS", error_count: 0 }]),
  );
});

test("a notification starts a job, not the next look", async () => {
  const lags: number[] = [];
  let enqueuedAt = 0;
  const job = numbered(async () => void lags.push(performance.now() - enqueuedAt));
  const queue = await startQueue([job], { pollSeconds: 30 });
  for (let n = 1; n <= 5; n++) {
    enqueuedAt = performance.now();
    await queue.enqueue(parts.db, job, { n });
    await eventually(() => expect(lags).toHaveLength(n));
    await eventually(async () =>
      expect((await history(job.name)).every((row) => row.status === "SUCCESS")).toBe(true),
    );
  }
  expect(Math.max(...lags)).toBeLessThan(5_000);
});

test("what waits is taken as soon as a worker is free", async () => {
  const seen: number[] = [];
  const job = numbered(async (_ctx, { n }) => void seen.push(n));
  const queue = await startQueue([job], { pollSeconds: 30 });
  await parts.db.transaction(async (tx) => {
    for (let n = 0; n < 10; n++) await queue.enqueue(tx, job, { n });
  });
  await eventually(
    () => expect(seen.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
    10_000,
  );
});

test("no more jobs of a kind run at once than it says", async () => {
  let running = 0;
  let most = 0;
  let finished = 0;
  const open = Promise.withResolvers<void>();
  const job = numbered(
    async () => {
      most = Math.max(most, ++running);
      await open.promise;
      running--;
      finished++;
    },
    { concurrency: 3 },
  );
  const queue = await startQueue([job]);
  for (let n = 0; n < 6; n++) await queue.enqueue(parts.db, job, { n });
  await eventually(() => expect(running).toBe(3), 5_000);
  open.resolve();
  await eventually(() => expect(finished).toBe(6), 15_000);
  expect(most).toBe(3);
});

test("however much pg-boss asks at once, it takes two connections", async () => {
  let taken = 0;
  let most = 0;
  const pool = Object.create(parts.db.pool, {
    connect: {
      async value() {
        most = Math.max(most, ++taken);
        const client = await parts.db.pool.connect();
        const { release } = client;
        client.release = (failure) => {
          taken -= 1;
          client.release = release;
          client.release(failure);
        };
        return client;
      },
    },
  }) as typeof parts.db.pool;
  const queue = await startQueue([], { db: { ...parts.db, pool } }, false);
  await Promise.all(Array.from({ length: 6 }, () => queue.deadLetters(1)));
  expect(most).toBe(2);
});

test("a payload is checked when it is written", async () => {
  const job = numbered(async () => undefined);
  const queue = await startQueue([job], {}, false);
  await expect(queue.enqueue(parts.db, job, { n: "one" } as never)).rejects.toThrow(
    `The payload of the job ${job.name} is wrong`,
  );
  await expect(queue.enqueue(parts.db, { ...job, name: "unlisted" }, { n: 1 })).rejects.toThrow(
    "not in the list of any feature",
  );
});

test("a payload that its worker does not understand is given up at once", async () => {
  const run = vi.fn(async () => undefined);
  const job = numbered(run, { retries: 5 });
  const sender = await startQueue([{ ...job, payload: z.object({ n: z.string() }) }], {}, false);
  await sender.enqueue(parts.db, { ...job, payload: z.any() }, { n: "one" });
  const queue = await startQueue([job]);
  await eventually(
    async () =>
      expect((await queue.deadLetters(10)).map((letter) => letter.job)).toContain(job.name),
    5_000,
  );
  expect(run).not.toHaveBeenCalled();
});

test("a failing job is tried again, then given up, seen, and can be sent back", async () => {
  const tries: number[] = [];
  let broken = true;
  const job = numbered(
    async (_ctx, { n }) => {
      tries.push(n);
      if (broken) throw new Error("the other side said no");
    },
    {
      retries: 1,
      history: { retention: "high", resource: ({ n }) => ({ type: "number", id: String(n) }) },
    },
  );
  const queue = await startQueue([job]);
  await queue.enqueue(parts.db, job, { n: 7 });
  const given = async () => (await queue.deadLetters(10)).find((letter) => letter.job === job.name);
  await eventually(
    async () =>
      expect(await given()).toMatchObject({ payload: { n: 7 }, error: "the other side said no" }),
    15_000,
  );
  expect(tries).toEqual([7, 7]);
  expect(await history(job.name)).toMatchObject([
    {
      status: "FAILED",
      resource_id: "7",
      error_count: 1,
      details: { errors: ["the other side said no"] },
    },
    { status: "FAILED", resource_id: "7" },
  ]);
  broken = false;
  const id = (await given())?.id ?? "";
  expect(await queue.retryDeadLetters([id])).toBe(1);
  await eventually(() => expect(tries).toEqual([7, 7, 7]), 10_000);
  expect(await given()).toBeUndefined();
});

test("a job that takes too long is stopped and has failed", async () => {
  const stopped = vi.fn();
  const job = numbered(
    (ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener("abort", () => {
          stopped();
          reject(new Error("interrupted"));
        });
      }),
    { timeoutMs: 50 },
  );
  const queue = await startQueue([job]);
  await queue.enqueue(parts.db, job, { n: 1 });
  await eventually(
    async () =>
      expect(await history(job.name)).toMatchObject([
        {
          status: "FAILED",
          details: { errors: [`${job.name} did not finish within 50 ms and was stopped.`] },
        },
      ]),
    5_000,
  );
  expect(stopped).toHaveBeenCalledOnce();
});

test("a key allows one waiting job, and jobs without one do not hinder each other", async () => {
  const job = numbered(async () => undefined);
  const queue = await startQueue([job], {}, false);
  await queue.enqueue(parts.db, job, { n: 1 }, { singletonKey: "k" });
  await queue.enqueue(parts.db, job, { n: 2 }, { singletonKey: "k" });
  await queue.enqueue(parts.db, job, { n: 3 });
  await queue.enqueue(parts.db, job, { n: 4 });
  expect(await waiting(job.name)).toBe(3);
});

test("a job is not started before its time", async () => {
  const ran = vi.fn();
  const job = numbered(async () => void ran());
  const queue = await startQueue([job]);
  await queue.enqueue(parts.db, job, { n: 1 }, { startAfter: new Date(Date.now() + 3_600_000) });
  await queue.enqueue(parts.db, job, { n: 2 });
  await eventually(() => expect(ran).toHaveBeenCalledOnce(), 5_000);
  expect(await waiting(job.name)).toBe(1);
});

describe("stopping", () => {
  test("waits for what runs", async () => {
    const open = Promise.withResolvers<void>();
    let running = false;
    const job = numbered(async () => {
      running = true;
      await open.promise;
    });
    const queue = await startQueue([job]);
    await queue.enqueue(parts.db, job, { n: 1 });
    await eventually(() => expect(running).toBe(true));
    const stopped = queue.stop();
    open.resolve();
    await stopped;
    expect(await history(job.name)).toMatchObject([{ status: "SUCCESS" }]);
  });

  test("aborts what runs too long, and another server runs it again", async () => {
    const aborted = vi.fn();
    let patient = false;
    const job = numbered(async (ctx) => {
      if (patient) return;
      await new Promise<void>((resolve) => {
        ctx.signal.addEventListener("abort", () => {
          aborted();
          resolve();
        });
        patient = true;
      });
    });
    const first = await startQueue([job], { stopGraceMs: 50 });
    await first.enqueue(parts.db, job, { n: 1 });
    await eventually(() => expect(patient).toBe(true));
    await first.stop();
    expect(aborted).toHaveBeenCalledOnce();
    await startQueue([job]);
    await eventually(
      async () =>
        expect((await history(job.name)).map((row) => row.status)).toEqual(["FAILED", "SUCCESS"]),
      15_000,
    );
  });
});

test("several servers start at once with a job that is new", async () => {
  const job = numbered(async () => undefined);
  const started = await Promise.all(Array.from({ length: 4 }, () => startQueue([job])));
  await started[0]?.enqueue(parts.db, job, { n: 1 });
  await eventually(
    async () => expect(await history(job.name)).toMatchObject([{ status: "SUCCESS" }]),
    5_000,
  );
});

test.each([
  [
    "twice",
    () => [
      numbered(async () => undefined, { name: "same" }),
      numbered(async () => undefined, { name: "same" }),
    ],
  ],
  ["without a handler", () => [{ ...numbered(async () => undefined), run: undefined as never }]],
])("a job that is declared %s stops the start", (_, jobs) => {
  expect(() => createQueue({ ...parts, jobs: jobs() })).toThrow(/declared twice|no handler/);
});

test("a killed server's job is taken up again in under a minute", { timeout: 90_000 }, async () => {
  const seen: number[] = [];
  const job = numbered(async (_ctx, { n }) => void seen.push(n), {
    name: "endless",
    timeoutMs: 600_000,
  });
  const sender = await startQueue([job], {}, false);
  await sender.enqueue(parts.db, job, { n: 1 });
  const other = startTestProcess(
    new URL("testing/endless-job.ts", import.meta.url),
    parts.connection,
  );
  try {
    await eventually(() => expect(other.lines).toContain("running"), 20_000);
  } finally {
    await other.kill();
  }
  await startQueue([job]);
  await eventually(() => expect(seen).toEqual([1]), 60_000);
});
