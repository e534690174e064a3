import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { untilBlocked } from "../../testing/blocked.ts";
import { testDatabase } from "../../testing/app.ts";
import { type AdvisoryLock, advisoryLocks, takeLock, takeLocksOf } from "./advisory-locks.ts";

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test("no two locks have one number", () => {
  const numbers = Object.values(advisoryLocks);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("no other file takes a lock by itself", () => {
  const root = join(import.meta.dirname, "../../../../..");
  const files = globSync("{apps,packages}/*/{src,db}/**/*.{ts,sql}", { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  const found = files
    .filter((file) => !/advisory-locks(\.test)?\.ts$|db\/schema\.sql$/.test(file))
    .filter((file) => /pg_(try_)?advisory/.test(readFileSync(join(root, file), "utf8")));
  expect(
    found,
    "name it in advisory-locks.ts, and take it by takeLock or, in SQL, take_lock",
  ).toEqual([]);
});

test("SQL takes the locks by the same names, and refuses one that does not exist", async () => {
  for (const lock of Object.keys(advisoryLocks) as AdvisoryLock[]) {
    await database.db.transaction(async (held) => {
      await held.run(sql`select take_lock(${lock})`);
      const other = await database.db.first(
        sql`select pg_try_advisory_xact_lock(${advisoryLocks[lock]}) as free`,
      );
      expect(other).toEqual({ free: false });
    });
  }
  await expect(database.db.run(sql`select take_lock('lunch')`)).rejects.toThrow(
    "There is no lock lunch",
  );
});

test("who takes a lock of the same name waits, who takes another one's does not", async () => {
  const open = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const first = database.db.transaction(async (tx) => {
    await takeLocksOf(tx, "documents", ["a", "b"]);
    held.resolve();
    await open.promise;
  });
  await held.promise;
  await database.db.transaction((tx) => takeLocksOf(tx, "documents", ["c"]));
  await database.db.transaction((tx) => takeLock(tx, "documents"));
  const second = database.db.transaction((tx) => takeLocksOf(tx, "documents", ["b", "a"]));
  await untilBlocked(database.db, 1);
  open.resolve();
  await Promise.all([first, second]);
});
