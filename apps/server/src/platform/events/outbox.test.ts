import sql, { type Sql } from "sql-template-tag";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { eventually } from "../jobs/testing/eventually.ts";
import { createTestParts } from "../jobs/testing/database.ts";
import type { TestParts } from "../jobs/testing/parts.ts";
import { startTestProcess } from "../jobs/testing/process.ts";
import type { EventHandler } from "../feature.ts";
import { createDispatcher, type Dispatcher, type DispatcherOptions, emit } from "./outbox.ts";

let parts: TestParts;
const dispatchers: Dispatcher[] = [];

beforeAll(async () => {
  parts = await createTestParts();
  await parts.db.raw("create table written (n int, worker text)");
});
afterAll(() => parts.close());
afterEach(async () => {
  await Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.stop()));
  await parts.db.raw("truncate event_queue, written");
});

async function dispatch(
  handlers: Record<string, EventHandler | EventHandler[]>,
  options: Partial<DispatcherOptions> = {},
): Promise<Dispatcher> {
  const dispatcher = createDispatcher({
    ...parts,
    handlers: Object.fromEntries(
      Object.entries(handlers).map(([name, list]) => [
        name,
        [list].flat().map((handler, n) => ({ feature: `feature-${n + 1}`, handler })),
      ]),
    ),
    backOffMs: 1,
    ...options,
  });
  dispatchers.push(dispatcher);
  await dispatcher.start();
  return dispatcher;
}

const queued = () =>
  parts.db.rows<{
    name: string;
    attempts: number;
    error: string | null;
    last_attempt: Date | null;
  }>(
    sql`select name, properties, attempts, error, last_attempt from event_queue order by name, properties`,
  );
const written = async () =>
  (await parts.db.rows<{ n: number }>(sql`select n from written order by n`)).map((row) => row.n);
const write: EventHandler = async (ctx, { n }) => {
  await ctx.db.run(sql`insert into written (n) values (${n})`);
};

test("an event commits with the transaction that raised it, and not without", async () => {
  await dispatch({ "check.failed": write });
  await expect(
    parts.db.transaction(async (tx) => {
      await emit(tx, "check.failed", { n: 1 });
      throw new Error("undone");
    }),
  ).rejects.toThrow("undone");
  await parts.db.transaction((tx) => emit(tx, "check.failed", { n: 2 }));
  await eventually(async () => expect(await written()).toEqual([2]));
  await eventually(async () => expect(await queued()).toEqual([]));
});

test("a notification wakes the dispatcher, not the next look", async () => {
  const seen = vi.fn(async () => undefined);
  await dispatch({ a: seen }, { pollMs: 3_600_000 });
  await emit(parts.db, "a", {});
  await eventually(() => expect(seen).toHaveBeenCalledOnce());
});

test("what waited before the start is handled, by priority and then by age", async () => {
  for (const n of [1, 2, 3]) {
    await emit(parts.db, "a", { n });
  }
  await parts.db.run(sql`update event_queue set priority = 200 where properties = '{"n": 3}'`);
  const seen: unknown[] = [];
  await dispatch({ a: async (_ctx, { n }) => void seen.push(n) });
  await eventually(() => expect(seen).toEqual([3, 1, 2]));
});

test("the same event twice is one row, armed again", async () => {
  await emit(parts.db, "a", { id: 1 });
  await parts.db.run(
    sql`update event_queue set attempts = 4, error = 'before', last_attempt = now()`,
  );
  const seen = vi.fn(async () => undefined);
  await dispatch({ a: seen }, { pollMs: 3_600_000 });
  await emit(parts.db, "a", { id: 1 });
  await eventually(() => expect(seen).toHaveBeenCalledOnce());
});

test("of several handlers all or none have happened", async () => {
  let broken = true;
  await dispatch(
    {
      a: [
        write,
        async () => {
          if (broken) throw new Error("not yet");
        },
      ],
    },
    { backOffMs: 3_600_000 },
  );
  await emit(parts.db, "a", { n: 1 });
  await eventually(async () =>
    expect(await queued()).toMatchObject([{ attempts: 1, error: "feature-2: not yet" }]),
  );
  expect(await written()).toEqual([]);
  broken = false;
  await emit(parts.db, "a", { n: 1 });
  await eventually(async () => expect(await written()).toEqual([1]));
});

test("an event is tried again with back-off, then left alone and seen in the summary", async () => {
  let tries = 0;
  await dispatch({
    a: async () => {
      tries++;
      throw new Error("the other side said no");
    },
  });
  await emit(parts.db, "a", { n: 1 });
  await eventually(async () => expect(await queued()).toMatchObject([{ attempts: 4 }]));
  await emit(parts.db, "a", { n: 2 });
  await eventually(async () =>
    expect(await queued()).toMatchObject([{ attempts: 4 }, { attempts: 4 }]),
  );
  expect(tries).toBe(8);
  expect(
    await parts.db.rows(
      sql`select name, pending, failed, average_attempts::float8, most_common_error from event_queue_summary`,
    ),
  ).toEqual([
    {
      name: "a",
      pending: 2,
      failed: 2,
      average_attempts: 4,
      most_common_error: "feature-1: the other side said no",
    },
  ]);
  expect(
    await parts.db.rows(sql`select name, total_failed_events, unique_errors from failed_events`),
  ).toEqual([{ name: "a", total_failed_events: 2, unique_errors: 1 }]);
});

test("an event that becomes due between looking for one and asking when is not left waiting", async () => {
  let asked = 0;
  // Says when the next is due only once it is.
  const db: typeof parts.db = {
    ...parts.db,
    async first<Row extends object>(statement: Sql) {
      if (!statement.text.includes("extract(epoch from min("))
        return parts.db.first<Row>(statement);
      asked += 1;
      for (;;) {
        const row = await parts.db.first<Row>(statement);
        const ms = (row as { ms: number | null } | undefined)?.ms ?? 0;
        if (ms <= 0) return row;
      }
    },
  };
  let tries = 0;
  await dispatch(
    {
      a: async (ctx, properties) => {
        tries += 1;
        if (tries === 1) throw new Error("not yet");
        await write(ctx, properties);
      },
    },
    { db, backOffMs: 100, pollMs: 3_600_000 },
  );
  await emit(parts.db, "a", { n: 7 });
  await eventually(async () => expect(await written()).toEqual([7]));
  expect(asked).toBeGreaterThan(0);
});

test("an event with a delay waits for it, and one that failed does not hold up the rest", async () => {
  const seen: unknown[] = [];
  await parts.db.run(
    sql`insert into event_queue (name, properties, delay) values ('a', '{"n": 1}', 3600000000000)`,
  );
  await dispatch(
    {
      a: async (_ctx, { n }) => {
        seen.push(n);
        if (n === 2) throw new Error("no");
      },
    },
    { backOffMs: 3_600_000 },
  );
  await emit(parts.db, "a", { n: 2 });
  await emit(parts.db, "a", { n: 3 });
  await eventually(() => expect(seen).toEqual([2, 3]));
  expect(await queued()).toMatchObject([{ attempts: 0 }, { attempts: 1 }]);
});

test("a handler's transactions are part of the event's, and fail by themselves", async () => {
  await dispatch({
    a: async (ctx) => {
      await ctx.tx((tx) => tx.run(sql`insert into written (n) values (1)`));
      await ctx
        .tx(async (tx) => {
          await tx.run(sql`insert into written (n) values (2)`);
          throw new Error("only this");
        })
        .catch(() => undefined);
      await Promise.all(
        [3, 4].map((n) => ctx.tx((tx) => tx.run(sql`insert into written (n) values (${n})`))),
      );
    },
  });
  await emit(parts.db, "a", {});
  await eventually(async () => expect(await written()).toEqual([1, 3, 4]));
});

test("an event that its own handler raises again is not lost", async () => {
  let times = 0;
  await dispatch({
    a: async (ctx) => {
      if (++times < 3) await ctx.tx((tx) => tx.emit("a", { id: 1 }));
    },
  });
  await emit(parts.db, "a", { id: 1 });
  await eventually(() => expect(times).toBe(3));
  await eventually(async () => expect(await queued()).toEqual([]));
});

test("a handler that takes too long has failed", async () => {
  await dispatch(
    {
      a: (ctx) =>
        new Promise((_, reject) =>
          ctx.signal.addEventListener("abort", () => reject(new Error("interrupted"))),
        ),
    },
    { timeoutMs: 50, backOffMs: 3_600_000 },
  );
  await emit(parts.db, "a", {});
  await eventually(async () =>
    expect(await queued()).toMatchObject([
      { attempts: 1, error: "The handling of a did not finish within 50 ms and was stopped." },
    ]),
  );
});

test("no more events of a name are handled at once than is said", async () => {
  let running = 0;
  let most = 0;
  const open = Promise.withResolvers<void>();
  const busy: EventHandler = async () => {
    most = Math.max(most, ++running);
    await open.promise;
    running--;
  };
  await dispatch({ a: busy }, { concurrency: { a: 2 } });
  for (let n = 0; n < 5; n++) await emit(parts.db, "a", { n });
  await eventually(() => expect(running).toBe(2));
  open.resolve();
  await eventually(async () => expect(await queued()).toEqual([]));
  expect(most).toBe(2);
});

test("an event that nobody handles goes when it has waited long enough for somebody", async () => {
  await emit(parts.db, "fresh", {});
  await emit(parts.db, "old", {});
  await emit(parts.db, "a", { n: 1 });
  await parts.db.run(
    sql`update event_queue set created_at = now() - interval '11 minutes', attempts = 4`,
  );
  await parts.db.run(sql`update event_queue set created_at = now() where name = 'fresh'`);
  await dispatch({ a: write });
  await eventually(async () =>
    expect((await queued()).map((row) => row.name)).toEqual(["a", "fresh"]),
  );
});

describe("stopping", () => {
  test("waits for what is being handled", async () => {
    const open = Promise.withResolvers<void>();
    let running = false;
    const dispatcher = await dispatch({
      a: async (ctx, properties) => {
        running = true;
        await open.promise;
        await write(ctx, properties);
      },
    });
    await emit(parts.db, "a", { n: 1 });
    await eventually(() => expect(running).toBe(true));
    const stopped = dispatcher.stop();
    open.resolve();
    await stopped;
    expect(await written()).toEqual([1]);
  });

  test("interrupts what takes too long without counting it as a try", async () => {
    let running = false;
    const dispatcher = await dispatch(
      {
        a: (ctx) =>
          new Promise((_, reject) => {
            running = true;
            ctx.signal.addEventListener("abort", () => reject(new Error("interrupted")));
          }),
      },
      { stopGraceMs: 50 },
    );
    await emit(parts.db, "a", { n: 1 });
    await eventually(() => expect(running).toBe(true));
    await dispatcher.stop();
    expect(await queued()).toMatchObject([{ attempts: 0, error: null }]);
  });
});

test(
  "two servers share the events, each is handled once, and killing one in the middle loses none",
  { timeout: 60_000 },
  async () => {
    const program = new URL("../jobs/testing/endless-event.ts", import.meta.url);
    const stuck = startTestProcess(program, parts.connection, "stuck");
    try {
      await eventually(() => expect(stuck.lines).toContain("ready"), 20_000);
      await emit(parts.db, "a", { n: 0 });
      await eventually(() => expect(stuck.lines).toContain("handling"));
      await dispatch({ a: write });
      for (let n = 1; n <= 20; n++) await emit(parts.db, "a", { n });
      await eventually(async () => expect(await written()).toHaveLength(20));
      expect(await queued()).toHaveLength(1);
    } finally {
      await stuck.kill();
    }
    // Nothing announces that its transaction has ended, so something else must come along after it has.
    await eventually(async () => {
      const free = await parts.db.rows(sql`select from event_queue for update skip locked`);
      expect(free).toHaveLength((await queued()).length);
    });
    await emit(parts.db, "a", { n: 21 });
    await eventually(async () =>
      expect(await written()).toEqual(Array.from({ length: 22 }, (_, n) => n)),
    );
    expect(await queued()).toEqual([]);
  },
);
