import { setTimeout as delay } from "node:timers/promises";
import pg, { escapeIdentifier, escapeLiteral } from "pg";
import type { Sql } from "sql-template-tag";

/** What runs SQL: the pool, or one transaction. Statements are built with the `sql` tag of sql-template-tag only. */
export interface Queryable {
  /** All rows. */
  rows<Row extends object>(statement: Sql, options?: RunOptions): Promise<Row[]>;
  /** The first row, or undefined. */
  first<Row extends object>(statement: Sql, options?: RunOptions): Promise<Row | undefined>;
  /** The number of rows affected. */
  run(statement: Sql, options?: RunOptions): Promise<number>;
  /** The connection beneath, for libraries that bring their own SQL (the data API, the job queue). */
  raw(text: string, values?: unknown[]): Promise<pg.QueryResult>;
}

export interface RunOptions {
  /**
   * Keeps the statement parsed and planned under this name on each connection, for one that runs all the time. A name
   * belongs to one text.
   */
  preparedAs?: string;
}

export interface TransactionOptions {
  /** Commit without waiting for the disk. Allowed for check results and nothing else (architecture, decision 2). */
  asyncCommit?: boolean;
  /** Settings of PostgreSQL that hold in the transaction, by name. */
  settings?: Readonly<Record<string, string>>;
  /**
   * Once it is aborted nothing more is asked, and the statement that runs is cancelled in the database: the transaction is
   * rolled back, and throws the signal's reason.
   */
  signal?: AbortSignal;
}

export interface Database extends Queryable {
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A connection of its own outside the pool (LISTEN, advisory locks). The caller ends it. */
  connect(): Promise<pg.Client>;
  readonly pool: pg.Pool;
  /** A further pool to the same database, for a part with connections of its own, under a role of its own if said. It pipelines nothing. The caller ends it. */
  openPool(max: number, role?: string): pg.Pool;
  close(): Promise<void>;
}

function queryable(client: { query: pg.Pool["query"] }): Queryable {
  const send = (statement: Sql, { preparedAs }: RunOptions = {}) =>
    client.query({
      text: statement.text,
      values: statement.values,
      ...(preparedAs && { name: preparedAs }),
    });
  return {
    rows: async <Row extends object>(statement: Sql, options?: RunOptions) =>
      (await send(statement, options)).rows as Row[],
    first: async <Row extends object>(statement: Sql, options?: RunOptions) =>
      (await send(statement, options)).rows[0] as Row | undefined,
    run: async (statement, options) => (await send(statement, options)).rowCount ?? 0,
    raw: (text, values) => client.query(text, values),
  };
}

/** A connection that is asked nothing more once a signal is aborted. */
const whileWanted = (client: pg.PoolClient, signal: AbortSignal) => ({
  query: ((...parts: Parameters<pg.PoolClient["query"]>) => {
    signal.throwIfAborted();
    return client.query(...parts);
  }) as pg.Pool["query"],
});

/** What sets a transaction's settings. */
function settingsText({ asyncCommit, settings = {} }: TransactionOptions): string | undefined {
  const all = { ...settings, ...(asyncCommit ? { synchronous_commit: "off" } : {}) };
  const set = Object.entries(all).map(
    ([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, true)`,
  );
  return set.length === 0 ? undefined : `select ${set.join(", ")}`;
}

export interface DatabaseOptions {
  connection: pg.ClientConfig;
  /** Connections kept at most. */
  max?: number;
  /** How long one is kept that nobody uses. */
  idleMs?: number;
  applicationName: string;
  onError: (error: Error) => void;
}

/**
 * int8 as a number: counts and milliseconds stay far below 2^53 here, and text would leak into JSON.
 * Timestamps stay `Date`s; `date` stays text.
 */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, String);

const CONNECT_TIMEOUT_MS = 10_000;
/** A cancellation that came before its statement began is lost: so it is said again, this often. */
const CANCEL_AGAIN_MS = 50;

export function openDatabase(options: DatabaseOptions): Database {
  const config: pg.PoolConfig = {
    ...options.connection,
    types,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: options.idleMs ?? 60_000,
    keepAlive: true,
  };
  const openPool = (max: number, { role, pipeline }: { role?: string; pipeline: boolean }) => {
    const pool = new pg.Pool({
      ...config,
      max,
      pipeline,
      // Not as an option of the connection: those in its address would take its place.
      ...(role === undefined
        ? {}
        : {
            onConnect: (client) =>
              client.query(`set role ${escapeIdentifier(role)}`) as unknown as void,
          }),
    });
    // The pool listens to idle connections only: one that is lost in use would crash the process.
    // While the pool ends, connections may be cut off by the server's own end; that is no news.
    const onError = (error: Error) => pool.ending || options.onError(error);
    pool.on("connect", (client) => client.on("error", onError));
    // What it says of idle ones has been heard above; without a listener this, too, would crash the process.
    pool.on("error", () => undefined);
    return pool;
  };
  const pool = openPool(options.max ?? 16, { pipeline: true });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      ...options.connection,
      types,
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on("error", options.onError);
    await client.connect();
    return client;
  }

  /** Cancels whatever a connection does, until its work has ended. Not by way of the pool: others like it may have all of it. */
  async function cancelUntilOver(pid: number, isOver: () => boolean): Promise<void> {
    const canceller = await connect();
    try {
      while (!isOver()) {
        const { rows } = await canceller.query<{ was_there: boolean }>(
          "select pg_cancel_backend($1) as was_there",
          [pid],
        );
        // With its connection the work ends, too; the number may be somebody else's next.
        if (rows[0]?.was_there !== true) return;
        if (!isOver()) await delay(CANCEL_AGAIN_MS);
      }
    } finally {
      await canceller.end();
    }
  }

  /**
   * From now on an aborted signal cancels what a connection does. @returns what ends that, and waits for a cancellation that
   * has begun: whoever has the connection next is not meant.
   */
  function cancelWith(signal: AbortSignal, pid: number): () => Promise<void> {
    let isOver = false;
    let cancelling: Promise<void> | undefined;
    const cancel = () => {
      // Where it fails the statement ends by its own time, or with its connection.
      cancelling = cancelUntilOver(pid, () => isOver).catch((error: unknown) =>
        options.onError(error instanceof Error ? error : new Error(String(error))),
      );
    };
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel, { once: true });
    return async () => {
      isOver = true;
      signal.removeEventListener("abort", cancel);
      await cancelling;
    };
  }

  return {
    pool,
    ...queryable(pool),
    async transaction(work, transactionOptions = {}) {
      const { signal } = transactionOptions;
      signal?.throwIfAborted();
      const client = await pool.connect();
      let broken: Error | undefined;
      let stopCancelling: (() => Promise<void>) | undefined;
      try {
        // The begin is a message of its own: of one that the database cannot read nothing is done, and the rest would
        // find no transaction. Nothing follows before it is done: should it be cancelled, what came behind it would run
        // in no transaction, and be kept.
        const settings = settingsText(transactionOptions);
        const [, , own] = await Promise.all([
          client.query("begin"),
          settings && client.query(settings),
          signal && client.query<{ pid: number }>("select pg_backend_pid() as pid"),
        ]);
        if (signal && own?.rows[0]) stopCancelling = cancelWith(signal, own.rows[0].pid);
        const result = await work(queryable(signal ? whileWanted(client, signal) : client));
        await stopCancelling?.();
        signal?.throwIfAborted();
        const { command } = await client.query("commit");
        // PostgreSQL answers a commit with ROLLBACK when a statement has failed and the work went on regardless.
        if (command !== "COMMIT")
          throw new Error("The transaction was rolled back: a statement in it had failed.");
        return result;
      } catch (error) {
        await stopCancelling?.();
        await client.query("rollback").catch((failure: Error) => {
          broken = failure;
        });
        signal?.throwIfAborted();
        throw error;
      } finally {
        client.release(broken);
      }
    },
    connect,
    openPool: (max, role) => openPool(max, { role, pipeline: false }),
    close: () => pool.end(),
  };
}
