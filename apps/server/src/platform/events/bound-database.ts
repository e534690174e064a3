import { AsyncLocalStorage } from "node:async_hooks";
import sql, { type Sql } from "sql-template-tag";
import type { Database, Queryable, RunOptions, TransactionOptions } from "../db/database.ts";

export interface BoundDatabase extends Database {
  /** The connection goes back to the pool: whoever still holds this database gets errors, not somebody else's rows. */
  end(): void;
}

/**
 * A database whose every statement runs inside an open transaction: what asks it for a transaction gets a savepoint,
 * with its settings for as long as it lasts (how it commits is up to the transaction around it).
 * Savepoints that are asked for side by side are taken one after the other, since they share one connection.
 */
export function boundDatabase(db: Database, tx: Queryable): BoundDatabase {
  const inside = new AsyncLocalStorage<true>();
  let before: Promise<unknown> = Promise.resolve();
  let ended = false;

  const live = <Result>(work: () => Promise<Result>): Promise<Result> =>
    ended
      ? Promise.reject(
          new Error("The transaction of this event is over; nothing can be done in it any more."),
        )
      : work();
  const queryable: Queryable = {
    rows: <Row extends object>(statement: Sql, options?: RunOptions) =>
      live(() => tx.rows<Row>(statement, options)),
    first: <Row extends object>(statement: Sql, options?: RunOptions) =>
      live(() => tx.first<Row>(statement, options)),
    run: (statement, options) => live(() => tx.run(statement, options)),
    raw: (text, values) => live(() => tx.raw(text, values)),
  };

  async function inSavepoint<T>(
    work: (tx: Queryable) => Promise<T>,
    { settings = {} }: TransactionOptions,
  ): Promise<T> {
    await queryable.run(sql`savepoint work`);
    try {
      const before = await set(settings);
      const result = await work(queryable);
      // A rollback takes them back by itself; without one they would hold for the rest of the event's transaction.
      await set(before);
      await queryable.run(sql`release savepoint work`);
      return result;
    } catch (error) {
      await queryable.run(sql`rollback to savepoint work`);
      throw error;
    }
  }

  /** Sets settings, and tells what they were. */
  async function set(settings: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const names = Object.keys(settings);
    if (names.length === 0) return {};
    const rows = await queryable.rows<{ name: string; before: string }>(sql`
      with wanted as materialized (
        select name, value, coalesce(current_setting(name, true), '') as before
          from unnest(${names}::text[], ${Object.values(settings)}::text[]) wanted (name, value))
      select name, before, set_config(name, value, true) from wanted`);
    return Object.fromEntries(rows.map(({ name, before }) => [name, before]));
  }

  return {
    ...queryable,
    pool: db.pool,
    connect: () => db.connect(),
    openPool: (max, role) => db.openPool(max, role),
    close: () =>
      Promise.reject(new Error("A database that is bound to a transaction cannot be closed.")),
    transaction(work, options = {}) {
      // Within another one it must not wait for that to end.
      if (inside.getStore()) return inSavepoint(work, options);
      const mine = before.then(() => inside.run(true, () => inSavepoint(work, options)));
      before = mine.catch(() => undefined);
      return mine;
    },
    end() {
      ended = true;
    },
  };
}
