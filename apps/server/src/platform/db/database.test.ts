import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startFailingWire } from "@mainstay/data-api/testing/failing-wire.ts";
import { startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { testDatabase } from "../../testing/app.ts";
import { type Database, openDatabase } from "./database.ts";

describe("a transaction", () => {
  let db: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ owner: db, drop } = await testDatabase());
    await db.run(sql`create table t (n int primary key)`);
  });
  afterAll(() => drop());

  test("commits what its work did, and leaves nothing when it throws", async () => {
    await db.transaction((tx) => tx.run(sql`insert into t values (1)`));
    const fails = db.transaction(async (tx) => {
      await tx.run(sql`insert into t values (2)`);
      throw new Error("no");
    });
    await expect(fails).rejects.toThrow("no");
    expect(await db.rows(sql`select n from t`)).toEqual([{ n: 1 }]);
  });

  test("does not pass for committed when a failed statement in it was ignored", async () => {
    const work = db.transaction(async (tx) => {
      await tx.run(sql`insert into t values (3)`);
      await tx.run(sql`select 1/0`).catch(() => 0);
    });
    await expect(work).rejects.toThrow("rolled back");
    expect(await db.rows(sql`select n from t where n = 3`)).toEqual([]);
  });

  describe("with a signal", () => {
    const sleeping = () =>
      db.rows<{ pid: number }>(
        sql`select pid from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`,
      );
    const sleep = sql`select pg_sleep(3600)`;

    test("is cancelled in the middle of a statement, and nothing of it is kept or left", async () => {
      const gone = new AbortController();
      const work = db.transaction(
        async (tx) => {
          await tx.run(sql`insert into t values (10)`);
          await tx.run(sleep);
        },
        { signal: gone.signal },
      );
      work.catch(() => undefined);
      await vi.waitFor(async () => expect(await sleeping()).toHaveLength(1));
      gone.abort(new Error("nobody waits"));
      await expect(work).rejects.toThrow("nobody waits");
      expect(await sleeping()).toEqual([]);
      expect(await db.rows(sql`select n from t where n = 10`)).toEqual([]);
      expect(db.pool.idleCount).toBe(db.pool.totalCount);
    });

    test("is cancelled also where its statement begins later, and no work begins after it", async () => {
      const gone = new AbortController();
      const late = db.transaction(
        async (tx) => {
          gone.abort(new Error("nobody waits"));
          await tx.run(sleep);
        },
        { signal: gone.signal },
      );
      await expect(late).rejects.toThrow("nobody waits");
      const never = vi.fn(() => Promise.resolve());
      await expect(db.transaction(never, { signal: gone.signal })).rejects.toThrow("nobody waits");
      expect(never).not.toHaveBeenCalled();
    });

    test("needs no other connection of the pool to be cancelled, and what has the connection next is not", async () => {
      const { database, user, password, host, port } = db.pool.options;
      const one = openDatabase({
        connection: { database, user, password, host, port },
        applicationName: "test",
        onError: () => undefined,
        max: 1,
      });
      try {
        for (let round = 0; round < 20; round += 1) {
          const gone = new AbortController();
          const work = one.transaction(
            async (tx) => {
              setImmediate(() => gone.abort(new Error("nobody waits")));
              await tx.run(sleep);
            },
            { signal: gone.signal },
          );
          await expect(work).rejects.toThrow("nobody waits");
          expect(await one.first(sql`select pg_sleep(0.002), 1 as n`)).toMatchObject({ n: 1 });
        }
      } finally {
        await one.close();
      }
    });

    test("ends as it would when nobody aborts", async () => {
      const { signal } = new AbortController();
      await db.transaction((tx) => tx.run(sql`insert into t values (11)`), { signal });
      expect(await db.rows(sql`select n from t where n = 11`)).toHaveLength(1);
      await expect(db.transaction((tx) => tx.run(sql`select 1/0`), { signal })).rejects.toThrow(
        "division by zero",
      );
    });
  });

  test.for(["no.such setting", "null \0 character"])(
    "does nothing when its settings fail (%j)",
    async (name) => {
      const work = db.transaction((tx) => tx.run(sql`insert into t values (5)`), {
        settings: { [name]: "x" },
      });
      await expect(work).rejects.toThrow(/invalid/);
      expect(await db.rows(sql`select n from t where n = 5`)).toEqual([]);
    },
  );

  test("ends at once in the database when its signal is aborted, and whoever has the connection next is spared", async () => {
    const stop = new AbortController();
    let isGoingOn = false;
    const slow = db.transaction(
      async (tx) => {
        await tx.run(sql`select pg_sleep(300)`).catch(() => 0);
        await tx.run(sql`insert into t values (6)`);
        isGoingOn = true;
      },
      { signal: stop.signal },
    );
    const running = () =>
      db.rows(sql`select from pg_stat_activity where query like 'select pg_sleep(300)%'`);
    await vi.waitFor(async () => expect(await running()).toHaveLength(1), 20_000);
    stop.abort(new Error("not wanted any more"));
    await expect(slow).rejects.toThrow("not wanted any more");
    expect(isGoingOn).toBe(false);
    const active = sql`select from pg_stat_activity where query like '%pg_sleep(300)%' and state = 'active' and pid <> pg_backend_pid()`;
    expect(await db.rows(active)).toEqual([]);
    const all = Array.from({ length: 40 }, (_, n) => db.rows(sql`select ${n}::int as n`));
    expect(await Promise.all(all)).toHaveLength(40);
    await expect(db.transaction(() => Promise.resolve(1), { signal: stop.signal })).rejects.toThrow(
      "not wanted any more",
    );
  });

  test("does nothing when a message of it is cancelled, whichever that is", async () => {
    const { database, user, password, host = "", port = 0 } = db.pool.options;
    const wire = await startFailingWire({ host, port });
    const through = openDatabase({
      connection: { database, user, password, host: "127.0.0.1", port: wire.port },
      applicationName: "test",
      onError: () => undefined,
      max: 1,
    });
    try {
      await through.run(sql`select 1`);
      for (let number = 1; ; number += 1) {
        wire.failAt(number);
        const work = through.transaction(
          (tx) =>
            Promise.all([
              tx.run(sql`insert into t values (6)`),
              tx.raw("insert into t values ($1)", [7]),
            ]),
          { settings: { statement_timeout: "1000" } },
        );
        const [{ status }] = await Promise.allSettled([work]);
        const isWhole = !wire.hasFailed();
        expect([number, status]).toEqual([number, isWhole ? "fulfilled" : "rejected"]);
        const kept = await db.rows(sql`select n from t where n in (6, 7)`);
        expect([number, kept.length]).toEqual([number, isWhole ? 2 : 0]);
        if (isWhole) break;
      }
    } finally {
      await through.close();
      await wire.close();
    }
  });

  test("commits without waiting for the disk only when asked", async () => {
    const setting = (asyncCommit?: boolean) =>
      db.transaction((tx) => tx.first(sql`select current_setting('synchronous_commit') as value`), {
        asyncCommit,
      });
    await db.run(sql`select set_config('synchronous_commit', 'on', false)`);
    expect(await setting(true)).toEqual({ value: "off" });
    // Only for that transaction: the connection goes back to the pool as it was.
    expect(await db.rows(sql`select current_setting('synchronous_commit') as value`)).not.toEqual([
      await setting(true),
    ]);
  });

  test("whose connection is ended fails alone: the process lives and the pool goes on", async () => {
    const work = db.transaction(async (tx) => {
      const { pid } = (await tx.first<{ pid: number }>(sql`select pg_backend_pid() as pid`))!;
      await db.run(sql`select pg_terminate_backend(${pid})`);
      await tx.run(sql`insert into t values (4)`);
    });
    await expect(work).rejects.toThrow(/terminat|connection error|EPIPE|ECONNRESET/);
    expect(await db.rows(sql`select n from t where n = 4`)).toEqual([]);
  });
});

test("numbers are numbers: bigint and counts", async () => {
  const { db, drop } = await testDatabase();
  try {
    expect(
      await db.first(
        sql`select count(*) as n, 5000000000::bigint as big, '2026-01-02'::date as day`,
      ),
    ).toEqual({ n: 1, big: 5_000_000_000, day: "2026-01-02" });
  } finally {
    await drop();
  }
});

test("when the database dies under idle, busy and open connections, queries work again by themselves", async () => {
  const dataDir = mkdtempSync("/tmp/mainstay-pool-");
  const log = { debug() {}, info() {}, error() {} };
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  const onError = vi.fn<(error: Error) => void>();
  const db = openDatabase({ connection: embedded.connection, applicationName: "test", onError });
  const further = db.openPool(2);
  try {
    const busy = await further.connect();
    const own = await db.connect();
    const sleeping = expect(db.run(sql`select pg_sleep(60)`)).rejects.toThrow(/terminat/i);
    const open = db.transaction(async (tx) => {
      await tx.run(sql`select 1`);
      const pidFile = readFileSync(join(dataDir, "postgres-18/postmaster.pid"), "utf8");
      process.kill(Number(pidFile.split("\n", 1)[0]), "SIGKILL");
      await vi.waitFor(() => expect(onError.mock.calls.length).toBeGreaterThanOrEqual(3), {
        timeout: 100_000,
      });
      await tx.run(sql`select 1`);
    });
    await expect(open).rejects.toThrow();
    await sleeping;
    busy.release(true);
    await vi.waitFor(async () => expect(await db.first(sql`select 1 as one`)).toEqual({ one: 1 }), {
      timeout: 100_000,
      interval: 50,
    });
    expect((await further.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await own.end();
  } finally {
    await further.end();
    await db.close();
    await embedded.stop();
    rmSync(dataDir, { recursive: true });
  }
});
