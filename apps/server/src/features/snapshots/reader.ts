import type { Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

/** A portion that takes longer ends the snapshot. */
const longestMs = 10_000;

/** Rows of a statement; nothing of it goes on once the snapshot is not wanted any more. */
export type Ask = <Row extends object>(statement: Sql) => Promise<Row[]>;

export interface ReaderParts {
  db: Ctx["db"];
  /** Aborted when nobody waits for the snapshot any more. */
  signal: AbortSignal;
  /** Told how long each statement took, in milliseconds. */
  spent: (ms: number) => void;
}

/**
 * Reads in portions, each in a transaction of its own: however slowly a snapshot is fetched, no connection is held and
 * nothing keeps the database from cleaning up. A statement that is under way when the signal ends is cancelled.
 */
export const createReader =
  ({ db, signal, spent }: ReaderParts): Ask =>
  <Row extends object>(statement: Sql) =>
    db.transaction(
      async (tx) => {
        const begun = performance.now();
        try {
          return await tx.rows<Row>(statement);
        } finally {
          spent(performance.now() - begun);
        }
      },
      {
        settings: { statement_timeout: String(longestMs), plan_cache_mode: "force_custom_plan" },
        signal,
      },
    );
