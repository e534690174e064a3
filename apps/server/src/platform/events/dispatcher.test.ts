// Takes long: servers are killed in the middle, and others take over.
import { defineEvent } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Queryable } from "../db/database.ts";
import { eventually } from "../jobs/testing/eventually.ts";
import { createTestParts, type OwnedTestParts } from "../jobs/testing/database.ts";
import { startTestProcess } from "../jobs/testing/process.ts";
import { createDispatcher, type Dispatcher, type DispatcherOptions } from "./dispatcher.ts";
import { emit as emitEvent } from "./emit.ts";
import { type EventHandler, onEvent } from "./event-handler.ts";
import { retryDelayMs } from "./retry-delays.ts";

interface Payload {
  id?: number;
  n?: number;
  of?: string;
}
type Run = EventHandler<Payload>["run"];
const eventOf = (name: string) =>
  defineEvent<Payload>({
    name,
    payload: z.strictObject({
      id: z.number().optional(),
      n: z.number().optional(),
      of: z.string().optional(),
    }),
  });
const emit = (queryable: Queryable, name: string, payload: Payload) =>
  emitEvent(queryable, eventOf(name), payload);

let parts: OwnedTestParts;
const dispatchers: Dispatcher[] = [];

beforeAll(async () => {
  parts = await createTestParts();
  await parts.owner.raw("create table written (n int, worker text)");
});
afterAll(() => parts.close());
afterEach(async () => {
  await Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.stop()));
  await parts.owner.raw("truncate event_queue, event_deliveries, written");
});

/** By event, what one feature or several do. */
type Handlers = Record<string, Run | Run[]>;

async function dispatch(
  handlers: Handlers,
  options: Partial<DispatcherOptions> &
    Partial<Pick<EventHandler<Payload>, "concurrency" | "timeoutMs" | "subject">> = {},
): Promise<Dispatcher> {
  const { concurrency = 1, timeoutMs, subject, ...rest } = options;
  const dispatcher = createDispatcher({
    ...parts,
    events: Object.keys(handlers).map(eventOf),
    handlers: Object.entries(handlers).flatMap(([name, list]) =>
      [list].flat().map((run, n) => ({
        feature: `feature-${n + 1}`,
        handler: onEvent(eventOf(name), { run, concurrency, timeoutMs, subject }),
      })),
    ),
    retryDelayMs: () => 1,
    ...rest,
  });
  dispatchers.push(dispatcher);
  await dispatcher.start();
  return dispatcher;
}

const HOUR = 3_600_000;
const deliveries = () =>
  parts.db.rows<{ handler: string; attempts: number; error: string | null; parked: boolean }>(
    sql`select handler, attempts, error, parked_at is not null as parked from event_deliveries order by handler, id`,
  );

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
const write: Run = async (ctx, { n }) => {
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
  await dispatch({ a: seen }, { pollMs: HOUR });
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
  await emit(parts.db, "a", { id: 1 });
  expect(await parts.db.rows(sql`select attempts, last_attempt from event_queue`)).toEqual([
    { attempts: 0, last_attempt: null },
  ]);
  const seen = vi.fn(async () => undefined);
  await dispatch({ a: seen }, { pollMs: HOUR });
  await eventually(async () => expect(await queued()).toEqual([]));
  expect(seen).toHaveBeenCalledOnce();
});

describe("handlers of one event are independent", () => {
  test("a broken one makes the other no later and undoes nothing of it", async () => {
    let broken = true;
    await dispatch(
      {
        a: [
          write,
          async (ctx, { n }) => {
            await ctx.db.run(sql`insert into written (n) values (${n! + 100})`);
            if (broken) throw new Error("not yet");
          },
        ],
      },
      { retryDelayMs: () => HOUR },
    );
    for (const n of [1, 2, 3]) await emit(parts.db, "a", { n });
    await eventually(async () => expect(await written()).toEqual([1, 2, 3]));
    await eventually(async () =>
      expect(await deliveries()).toEqual(
        [1, 2, 3].map(() => ({
          handler: "feature-2/a",
          attempts: 1,
          error: "not yet",
          parked: false,
        })),
      ),
    );
    expect(await queued()).toMatchObject(
      [1, 2, 3].map(() => ({ attempts: 1, error: "feature-2/a: not yet" })),
    );
    broken = false;
    await parts.db.run(sql`update event_deliveries set due_at = now()`);
    await emit(parts.db, "a", { n: 4 });
    await eventually(async () => expect(await written()).toEqual([1, 2, 3, 4, 101, 102, 103, 104]));
    await eventually(async () => expect(await queued()).toEqual([]));
  });

  test("one that hangs holds up neither another feature's nor another event's", async () => {
    const open = Promise.withResolvers<void>();
    await dispatch({ a: [() => open.promise, write], b: write });
    for (const n of [1, 2]) await emit(parts.db, "a", { n });
    await emit(parts.db, "b", { n: 3 });
    await eventually(async () => expect(await written()).toEqual([1, 2, 3]));
    expect((await deliveries()).map((row) => row.handler)).toEqual(["feature-1/a", "feature-1/a"]);
    open.resolve();
    await eventually(async () => expect(await queued()).toEqual([]));
  });

  test("one that is given up is parked alone, seen in the summary, and tried when it is raised again", async () => {
    let broken = true;
    let tries = 0;
    await dispatch(
      {
        a: [
          write,
          async () => {
            tries += 1;
            if (broken) throw new Error("the other side said no");
          },
        ],
      },
      { retryDelayMs: (failed) => (failed < 4 ? 1 : undefined) },
    );
    await emit(parts.db, "a", { n: 1 });
    await eventually(async () =>
      expect(await deliveries()).toEqual([
        { handler: "feature-2/a", attempts: 4, error: "the other side said no", parked: true },
      ]),
    );
    expect(await written()).toEqual([1]);
    expect(tries).toBe(4);
    expect(
      await parts.db.rows(
        sql`select name, pending, failed, average_attempts::float8, most_common_error from event_queue_summary`,
      ),
    ).toEqual([
      {
        name: "a",
        pending: 1,
        failed: 1,
        average_attempts: 4,
        most_common_error: "feature-2/a: the other side said no",
      },
    ]);
    expect(
      await parts.db.rows(sql`select name, total_failed_events, unique_errors from failed_events`),
    ).toEqual([{ name: "a", total_failed_events: 1, unique_errors: 1 }]);
    broken = false;
    await emit(parts.db, "a", { n: 1 });
    await eventually(async () => expect(await queued()).toEqual([]));
    expect(await written()).toEqual([1, 1]);
  });
});

test("tries are seconds apart first and hours at last, for a day", () => {
  const waits = Array.from({ length: 40 }, (_, n) => retryDelayMs(n + 1));
  expect(waits.slice(0, 5)).toEqual([2_000, 5_000, 15_000, 30_000, 60_000]);
  const given = waits.filter((wait) => wait !== undefined);
  const hours = given.reduce((sum, wait) => sum + wait, 0) / HOUR;
  expect(hours).toBeGreaterThan(23.5);
  expect(hours).toBeLessThan(25);
  expect(waits.slice(given.length).every((wait) => wait === undefined)).toBe(true);
});

test("of one subject the order is kept, also while an earlier event is tried again", async () => {
  const seen: string[] = [];
  let tries = 0;
  await dispatch(
    {
      a: async (_ctx, { n, of }) => {
        if (of === "x" && n === 1 && ++tries < 3) throw new Error("not yet");
        seen.push(`${of}${n}`);
      },
    },
    { concurrency: 4, subject: ({ of }) => of! },
  );
  await parts.db.transaction(async (tx) => {
    for (const n of [1, 2, 3]) for (const of of ["x", "y"]) await emit(tx, "a", { n, of });
  });
  await eventually(() => expect(seen).toHaveLength(6));
  expect(seen.filter((text) => text.startsWith("x"))).toEqual(["x1", "x2", "x3"]);
  expect(seen.filter((text) => text.startsWith("y"))).toEqual(["y1", "y2", "y3"]);
});

test("what was said is not what the event says: it is tried again and parked, not handed over", async () => {
  const seen = vi.fn(async () => undefined);
  await dispatch({ a: seen }, { retryDelayMs: () => undefined });
  await parts.db.run(sql`select raise_event('a', '{"n": "one"}')`);
  await eventually(async () => expect(await deliveries()).toMatchObject([{ parked: true }]));
  expect(seen).not.toHaveBeenCalled();
  await expect(emit(parts.db, "a", { n: "one" } as never)).rejects.toThrow("expected number");
});

test("those of many things are raised at once, each of them once, and again where they were before", async () => {
  const raise = (...numbers: number[]) =>
    parts.db.run(
      sql`select raise_events('a', ${numbers.map((n) => JSON.stringify({ n }))}::jsonb[])`,
    );
  const inOrder = async () => (await written()).toSorted((one, other) => one - other);
  await raise();
  await raise(3, 1, 3, 2);
  await dispatch({ a: write });
  await eventually(async () => expect(await inOrder()).toEqual([1, 2, 3]));
  await raise(2, 4);
  await eventually(async () => expect(await inOrder()).toEqual([1, 2, 2, 3, 4]));
});

test("one whose subject cannot be told holds up no other event", async () => {
  await dispatch({ a: write }, { subject: ({ of }) => of!.trim(), retryDelayMs: () => undefined });
  await parts.db.run(sql`select raise_event('a', '{"n": 1, "of": 7}')`);
  await emit(parts.db, "a", { n: 2, of: "x" });
  await eventually(async () => expect(await written()).toEqual([2]));
  await eventually(async () => expect(await deliveries()).toMatchObject([{ parked: true }]));
});

test("a handler of an event that nobody raises is a mistake at the start", async () => {
  const handler = onEvent(eventOf("nobody"), { run: write });
  const build = (events: ReturnType<typeof eventOf>[], times: number) =>
    createDispatcher({
      ...parts,
      events,
      handlers: Array.from({ length: times }, () => ({ feature: "f", handler })),
    });
  expect(() => build([], 1)).toThrow("no feature declares the event nobody");
  expect(() => build([eventOf("nobody")], 2)).toThrow("f/nobody has two handlers");
});

test("an event that becomes due between looking for one and asking when is not left waiting", async () => {
  let asked = 0;
  // Says when the next is due only once it is.
  const db: typeof parts.db = {
    ...parts.db,
    async first<Row extends object>(statement: Sql) {
      if (!statement.text.includes("extract(epoch from min(d.due_at)"))
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
    { db, retryDelayMs: () => 100, pollMs: HOUR },
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
    { retryDelayMs: () => HOUR },
  );
  await emit(parts.db, "a", { n: 2 });
  await emit(parts.db, "a", { n: 3 });
  await eventually(() => expect(seen).toEqual([2, 3]));
  await eventually(async () =>
    expect(await queued()).toMatchObject([{ attempts: 0 }, { attempts: 1 }]),
  );
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
      if (++times < 3) await ctx.tx((tx) => tx.emit(eventOf("a"), { id: 1 }));
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
    { timeoutMs: 50, retryDelayMs: () => HOUR },
  );
  await emit(parts.db, "a", {});
  await eventually(async () =>
    expect(await queued()).toMatchObject([
      {
        attempts: 1,
        error: "feature-1/a: The handling of a did not finish within 50 ms and was stopped.",
      },
    ]),
  );
});

test("no more events of a name are handled at once than is said", async () => {
  let running = 0;
  let most = 0;
  const open = Promise.withResolvers<void>();
  const busy: Run = async () => {
    most = Math.max(most, ++running);
    await open.promise;
    running--;
  };
  await dispatch({ a: busy }, { concurrency: 2 });
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
  await eventually(async () => expect((await queued()).map((row) => row.name)).toEqual(["fresh"]));
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
      await eventually(async () => expect(await queued()).toHaveLength(1));
    } finally {
      await stuck.kill();
    }
    // Nothing announces that its transaction has ended, so something else must come along after it has.
    await eventually(async () => {
      const free = await parts.db.rows(sql`select from event_deliveries for update skip locked`);
      expect(free).toHaveLength((await queued()).length);
    });
    await emit(parts.db, "a", { n: 21 });
    await eventually(async () =>
      expect(await written()).toEqual(Array.from({ length: 22 }, (_, n) => n)),
    );
    await eventually(async () => expect(await queued()).toEqual([]));
  },
);
