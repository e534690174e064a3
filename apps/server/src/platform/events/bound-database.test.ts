import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestParts, type OwnedTestParts } from "../jobs/testing/database.ts";
import { type BoundDatabase, boundDatabase } from "./bound-database.ts";

let parts: OwnedTestParts;
beforeAll(async () => {
  parts = await createTestParts();
  await parts.owner.raw("create table written (n int)");
});
afterAll(() => parts.close());
beforeEach(() => parts.owner.raw("truncate written"));

const write = (n: number) => sql`insert into written (n) values (${n})`;
const written = async () =>
  (await parts.db.rows<{ n: number }>(sql`select n from written order by n`)).map((row) => row.n);
const inTransaction = (work: (bound: BoundDatabase) => Promise<unknown>) =>
  parts.db.transaction((tx) => work(boundDatabase(parts.db, tx)));

test("what is written goes when the transaction does", async () => {
  const undone = inTransaction(async (bound) => {
    await bound.run(write(1));
    await bound.transaction((tx) => tx.run(write(2)));
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await written()).toEqual([]);
});

test("a transaction inside a transaction fails by itself", async () => {
  await inTransaction((bound) =>
    bound.transaction(async (tx) => {
      await tx.run(write(1));
      const inner = bound.transaction(async (innerTx) => {
        await innerTx.run(write(2));
        throw new Error("inner");
      });
      await expect(inner).rejects.toThrow("inner");
      await tx.run(write(3));
    }),
  );
  expect(await written()).toEqual([1, 3]);
});

test("transactions side by side do not undo each other", async () => {
  await inTransaction(async (bound) => {
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map((n) =>
        bound.transaction(async (tx) => {
          await tx.run(write(n));
          if (n % 2 === 0) throw new Error("even");
        }),
      ),
    );
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
  });
  expect(await written()).toEqual([1, 3]);
});

test("nothing can be done in it after its end", async () => {
  await inTransaction(async (bound) => {
    bound.end();
    await expect(bound.run(write(1))).rejects.toThrow("is over");
    await expect(bound.transaction(() => Promise.resolve())).rejects.toThrow("is over");
  });
  expect(await written()).toEqual([]);
});

test("a transaction's settings hold in it, and are as before after it", async () => {
  const setting = async (bound: BoundDatabase) =>
    (await bound.first<{ now: string }>(
      sql`select coalesce(current_setting('mainstay.actor', true), '') as now`,
    ))!.now;
  const under = (name: string) => ({ settings: { "mainstay.actor": name } });
  await inTransaction(async (bound) => {
    await bound.transaction(async () => {
      expect(await setting(bound)).toBe("ada");
      await bound.transaction(
        async () => expect(await setting(bound)).toBe("grace"),
        under("grace"),
      );
      expect(await setting(bound)).toBe("ada");
    }, under("ada"));
    expect(await setting(bound)).toBe("");
    const failed = bound.transaction(async () => {
      throw new Error("undone");
    }, under("ada"));
    await expect(failed).rejects.toThrow("undone");
    expect(await setting(bound)).toBe("");
  });
});
