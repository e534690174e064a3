import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@mainstay/embedded-postgres";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { testDatabase } from "../../testing/app.ts";
import { type Database, openDatabase } from "./database.ts";

describe("one statement alone", () => {
  let db: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ db, drop } = await testDatabase());
    await db.run(
      sql`create table t (n int primary key, m int unique deferrable initially deferred)`,
    );
  });
  afterAll(() => drop());

  test("is kept, with the settings it came with and no longer", async () => {
    const settings = { "my.word": "here" };
    for (const n of [1, 2, 3])
      expect(
        await db.alone(
          sql`insert into t values (${n}, ${n}) returning n, current_setting('my.word') as word`,
          { settings },
        ),
      ).toEqual([{ n, word: "here" }]);
    expect(
      await db.rows(sql`select n, current_setting('my.word', true) as word from t order by n`),
    ).toEqual([1, 2, 3].map((n) => ({ n, word: "" })));
  });

  test.for([
    ["in the statement", sql`insert into t values (4, 4), (4, 5)`, {}, "23505"],
    ["at the commit", sql`insert into t values (4, 1)`, {}, "23505"],
    ["in a setting", sql`insert into t values (4, 4)`, { timezone: "Nowhere/Land" }, "22023"],
  ] as const)(
    "that fails %s leaves nothing, and the connection as it was",
    async ([, statement, settings, code]) => {
      for (const _ of [1, 2, 3])
        await expect(db.alone(statement, { settings })).rejects.toMatchObject({ code });
      expect(await db.rows(sql`select n from t where n = 4`)).toEqual([]);
      expect(await db.rows(sql`select now() = statement_timestamp() as alone`)).toEqual([
        { alone: true },
      ]);
    },
  );

  test("whose connection is ended fails alone", async () => {
    await expect(db.alone(sql`select pg_terminate_backend(pg_backend_pid())`)).rejects.toThrow();
    expect(await db.alone(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

describe("a transaction", () => {
  let db: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ db, drop } = await testDatabase());
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
        timeout: 10_000,
      });
      await tx.run(sql`select 1`);
    });
    await expect(open).rejects.toThrow();
    await sleeping;
    busy.release(true);
    await vi.waitFor(async () => expect(await db.first(sql`select 1 as one`)).toEqual({ one: 1 }), {
      timeout: 20_000,
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
