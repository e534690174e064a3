import sql, { raw, type Sql } from "sql-template-tag";
import type { Queryable } from "./database.ts";
import { hasTakenTooLong } from "./took-too-long.ts";

export interface Counted {
  n: number;
  /** Not all were counted: there was no more time. */
  isLeast: boolean;
}

export interface CountedBy {
  /** Of `performance.now()`. */
  deadline: number;
  /**
   * There will be time for all. Where there may not be, it is planned as what is wanted is the first rows soon: what has to look
   * at much before it finds the first would have counted none.
   */
  isSure: boolean;
}

/** What is counted at once takes about so long; what is cut off in the middle of it does not count. */
const portionMs = 5;
const firstPortion = 500;

/**
 * How many rows a statement has; of more than can be counted in time, how many there are at least. `ask` runs it in a transaction of its own.
 */
export async function countInTime(
  ask: (work: (tx: Queryable) => Promise<void>) => Promise<void>,
  statement: Sql,
  { deadline, isSure }: CountedBy,
): Promise<Counted> {
  const counted: Counted = { n: 0, isLeast: true };
  try {
    await ask(async (tx) => {
      const within = async (asked: Sql) => {
        const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
        const [, moved] = await Promise.all([
          tx.run(sql`set local statement_timeout = ${raw(String(leftMs))}`),
          tx.run(asked),
        ]);
        return moved;
      };
      if (isSure) await tx.run(sql`set local cursor_tuple_fraction = 1`);
      await within(sql`declare counted no scroll cursor for ${statement}`);
      for (let portion = firstPortion; performance.now() < deadline;) {
        const begun = performance.now();
        // Nothing is sent: the answer tells how many rows it went past.
        const moved = await within(sql`move ${raw(String(portion))} from counted`);
        counted.n += moved;
        if (moved < portion) {
          counted.isLeast = false;
          return;
        }
        if (performance.now() - begun < portionMs) portion *= 2;
      }
    });
  } catch (error) {
    if (!hasTakenTooLong(error)) throw error;
  }
  return counted;
}
