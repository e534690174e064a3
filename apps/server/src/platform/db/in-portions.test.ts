import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase } from "../../testing/app.ts";
import type { Database } from "./database.ts";
import { inPortions } from "./in-portions.ts";

let db: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ owner: db, drop } = await testDatabase());
});
afterAll(() => drop());

test.for([
  [0, []],
  [3, [3]],
  [4, [4]],
  [9, [4, 4, 1]],
] as const)("%i rows by four", async ([count, sizes]) => {
  await db.transaction(async (tx) => {
    // A second one in the same transaction finds nothing of the first.
    for (let time = 0; time < 2; time += 1) {
      const portions: { n: number }[][] = [];
      const all = sql`select n from generate_series(1, ${count}::int) n order by n`;
      for await (const rows of inPortions<{ n: number }>(tx, all, 4)) portions.push(rows);
      expect(portions.map(({ length }) => length)).toEqual(sizes);
      expect(portions.flat().map(({ n }) => n)).toEqual(
        Array.from({ length: count }, (_, n) => n + 1),
      );
    }
  });
});

test("rows are those of one moment, whatever is written meanwhile", async () => {
  await db.raw("create table numbers as select n from generate_series(1, 10) n");
  await db.transaction(async (tx) => {
    const read: number[] = [];
    for await (const rows of inPortions<{ n: number }>(
      tx,
      sql`select n from numbers order by n`,
      3,
    )) {
      read.push(...rows.map(({ n }) => n));
      await db.raw("update numbers set n = n + 100");
    }
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});
