import { AsyncLocalStorage } from "node:async_hooks";
import sql, { type Sql } from "sql-template-tag";
import type { Database, Queryable } from "../db/database.ts";

export interface BoundDatabase extends Database {
  /** The connection goes back to the pool: whoever still holds this database gets errors, not somebody else's rows. */
  end(): void;
}

/**
 * A database whose every statement runs inside an open transaction: what asks it for a transaction gets a savepoint.
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
    rows: <Row extends object>(statement: Sql) => live(() => tx.rows<Row>(statement)),
    first: <Row extends object>(statement: Sql) => live(() => tx.first<Row>(statement)),
    run: (statement) => live(() => tx.run(statement)),
    raw: (text, values) => live(() => tx.raw(text, values)),
  };

  async function inSavepoint<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    await queryable.run(sql`savepoint work`);
    try {
      const result = await work(queryable);
      await queryable.run(sql`release savepoint work`);
      return result;
    } catch (error) {
      await queryable.run(sql`rollback to savepoint work`);
      throw error;
    }
  }

  return {
    ...queryable,
    pool: db.pool,
    connect: () => db.connect(),
    openPool: (max) => db.openPool(max),
    close: () =>
      Promise.reject(new Error("A database that is bound to a transaction cannot be closed.")),
    transaction(work) {
      // Within another one it must not wait for that to end.
      if (inside.getStore()) return inSavepoint(work);
      const mine = before.then(() => inside.run(true, () => inSavepoint(work)));
      before = mine.catch(() => undefined);
      return mine;
    },
    end() {
      ended = true;
    },
  };
}
