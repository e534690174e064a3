import { createHash } from "node:crypto";
import type { Sql } from "sql-template-tag";
import { ApiError } from "./errors.ts";
import { isPgError } from "./sql-state.ts";

export type ResultRow = Record<string, unknown>;

/** What runs a statement inside somebody's transaction. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: ResultRow[] }>;
}

/** One connection of a pool, as `pg` hands it out. */
export interface Connection {
  query(statement: {
    name?: string;
    text: string;
    values?: unknown[];
  }): Promise<{ rows: ResultRow[] }>;
  release(destroy?: boolean): void;
}

/** A pool of connections, as `pg.Pool`. */
export interface Pool {
  connect(): Promise<Connection>;
}

/** Shapes of statements that are remembered, to see which come again. */
const rememberedShapes = 1_000;
/** Statements prepared on one connection. What comes later is sent without a name. */
const preparedPerConnection = 200;
/** After so many nameless statements a full connection is replaced, so that what is prepared follows what is asked. */
const overflowPerConnection = 2_000;

interface ConnectionState {
  prepared: Set<string>;
  overflow: number;
  timeoutMs: number;
}

/** What holds while one read runs. */
export interface ReadSettings {
  timeoutMs: number;
  timezone?: string;
}

export interface Reader {
  read(statement: Sql, settings: ReadSettings): Promise<ResultRow[]>;
  /** The same connection, for what is not a read of rows. */
  use<T>(work: (client: Queryable) => Promise<T>): Promise<T>;
}

/**
 * Runs reads, each one statement that can change nothing and is cut off after a time. In a pool of its own both are
 * settings of the connection and a read is one round trip; in a shared one they are those of a transaction, so that
 * nobody else's statements inherit them. Statements that come again are prepared by name, within limits.
 */
export function createReader(pool: Pool, ownPool: boolean): Reader {
  const shapes = new Map<string, string>();
  const states = new WeakMap<object, ConnectionState>();

  /** A name for a text that was seen before. */
  function nameOf(text: string): string | undefined {
    const known = shapes.get(text);
    shapes.delete(text);
    shapes.set(text, known ?? "");
    if (known === undefined) {
      const oldest = shapes.size > rememberedShapes ? shapes.keys().next().value : undefined;
      if (oldest !== undefined) shapes.delete(oldest);
      return undefined;
    }
    if (known !== "") return known;
    const name = `data_${createHash("sha256").update(text).digest("base64url").slice(0, 24)}`;
    shapes.set(text, name);
    return name;
  }

  async function withConnection<T>(
    work: (connection: Connection, state: ConnectionState) => Promise<T>,
  ): Promise<T> {
    const connection = await pool.connect().catch((cause: unknown) => {
      throw isPgError(cause) ? cause : connectionLost(cause);
    });
    const state = states.get(connection) ?? {
      prepared: new Set<string>(),
      overflow: 0,
      timeoutMs: -1,
    };
    states.set(connection, state);
    let destroy = false;
    try {
      return await work(connection, state);
    } catch (cause) {
      if (isPgError(cause) || cause instanceof ApiError) throw cause;
      destroy = true;
      throw connectionLost(cause);
    } finally {
      connection.release(destroy || state.overflow > overflowPerConnection);
    }
  }

  async function send(
    connection: Connection,
    state: ConnectionState,
    { text, values }: Sql,
  ): Promise<ResultRow[]> {
    let name = nameOf(text);
    if (name !== undefined && !state.prepared.has(name)) {
      if (state.prepared.size < preparedPerConnection) state.prepared.add(name);
      else {
        state.overflow += 1;
        name = undefined;
      }
    }
    const { rows } = await connection.query({ name, text, values });
    return rows;
  }

  async function readAlone(
    connection: Connection,
    state: ConnectionState,
    statement: Sql,
    timeoutMs: number,
  ): Promise<ResultRow[]> {
    if (state.timeoutMs !== timeoutMs) {
      await connection.query({
        text: "select set_config('default_transaction_read_only', 'on', false), set_config('statement_timeout', $1, false)",
        values: [String(timeoutMs)],
      });
      state.timeoutMs = timeoutMs;
    }
    return send(connection, state, statement);
  }

  async function readInTransaction(
    connection: Connection,
    state: ConnectionState,
    statement: Sql,
    timeoutMs: number,
    timezone?: string,
  ): Promise<ResultRow[]> {
    const zone =
      timezone === undefined ? "" : `; set local timezone = '${timezone.replaceAll("'", "''")}'`;
    try {
      await connection.query({
        text: `begin read only; set local statement_timeout = ${timeoutMs}${zone}`,
      });
      return await send(connection, state, statement);
    } finally {
      await connection.query({ text: "rollback" });
    }
  }

  return {
    read: (statement, { timeoutMs, timezone }) =>
      withConnection((connection, state) => {
        const limit = Math.max(1, Math.trunc(timeoutMs));
        // A setting for one request must not outlive it.
        return ownPool && timezone === undefined
          ? readAlone(connection, state, statement, limit)
          : readInTransaction(connection, state, statement, limit, timezone);
      }),
    use: (work) =>
      withConnection((connection) =>
        work({ query: (text, values) => connection.query({ text, values }) }),
      ),
  };
}

function connectionLost(cause: unknown): ApiError {
  const error = new ApiError(
    503,
    "PGRST000",
    "The database cannot be reached. Try again in a moment.",
  );
  error.cause = cause;
  return error;
}
