import { createHash } from "node:crypto";
import { escapeLiteral } from "pg";
import { ApiError } from "./errors.ts";
import { isFatal, isPgError } from "./sql-state.ts";

export type ResultRow = Record<string, unknown>;

/** A statement as the driver takes it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Its values decide which indexes serve it: it is planned with them each time, and never prepared. */
  readonly isPlannedAnew?: boolean;
}

/** What runs a statement inside somebody's transaction. */
export interface Queryable {
  query(text: string, values?: unknown[]): Promise<{ rows: ResultRow[] }>;
}

/** A statement that is prepared by its name. */
export interface NamedStatement {
  name?: string;
  text: string;
  values?: readonly unknown[];
}

/** One connection of a pool, as `pg` hands it out. */
export interface Connection {
  query(statement: NamedStatement): Promise<{ rows: ResultRow[] }>;
  /** Runs statements all or none, in one round trip. Where it is absent they run one after the other. */
  together?(statements: readonly NamedStatement[]): Promise<ResultRow[][]>;
  release(destroy?: boolean): void;
}

/** A pool of connections, as `pg.Pool`. */
export interface Pool {
  connect(): Promise<Connection>;
}

/** Shapes of statements that are remembered, to see which come again. */
const rememberedShapes = 1_000;
/** Roles under which one of them is remembered. */
const rolesPerShape = 100;
/** Statements prepared on one connection. What comes later is sent without a name. */
const preparedPerConnection = 200;
/** After so many nameless statements a full connection is replaced, so that what is prepared follows what is asked. */
const overflowPerConnection = 2_000;

interface Prepared {
  names: Set<string>;
  overflow: number;
}

export interface Statements {
  /**
   * A statement as it is best sent over a connection: by name when it comes again. A prepared statement's plan is used
   * only under the role that it was made under: the right to execute a function that PostgreSQL writes out in place is
   * checked when it plans, not when it runs.
   */
  named(connection: Connection, statement: Statement, role?: string): NamedStatement;
  send(connection: Connection, statement: Statement): Promise<ResultRow[]>;
  /** So many statements came without a name that a new connection would serve better. */
  isWorn(connection: Connection): boolean;
}

/** Sends statements; those that come again are prepared by name, within limits. */
export function createStatements(): Statements {
  const shapes = new Map<string, Map<string, string | undefined>>();
  const prepared = new WeakMap<object, Prepared>();

  function preparedOn(connection: Connection): Prepared {
    const known = prepared.get(connection) ?? { names: new Set<string>(), overflow: 0 };
    prepared.set(connection, known);
    return known;
  }

  /** A name for a text that was seen before under the same role. */
  function nameOf(text: string, role: string): string | undefined {
    const names = shapes.get(text) ?? new Map<string, string | undefined>();
    shapes.delete(text);
    shapes.set(text, names);
    const oldest = shapes.size > rememberedShapes ? shapes.keys().next().value : undefined;
    if (oldest !== undefined) shapes.delete(oldest);
    const known = names.get(role);
    if (known !== undefined) return known;
    if (!names.has(role)) {
      if (names.size >= rolesPerShape) names.clear();
      names.set(role, undefined);
      return undefined;
    }
    const hash = createHash("sha256").update(`${role}\0${text}`).digest("base64url");
    const name = `data_${hash.slice(0, 24)}`;
    names.set(role, name);
    return name;
  }

  function named(
    connection: Connection,
    { text, values, isPlannedAnew }: Statement,
    role = "",
  ): NamedStatement {
    if (isPlannedAnew) return { text, values };
    const known = preparedOn(connection);
    const name = nameOf(text, role);
    if (name === undefined || known.names.has(name)) return { name, text, values };
    if (known.names.size < preparedPerConnection) {
      known.names.add(name);
      return { name, text, values };
    }
    known.overflow += 1;
    return { text, values };
  }

  return {
    named,
    async send(connection, statement) {
      const { rows } = await connection.query(named(connection, statement));
      return rows;
    },
    isWorn: (connection) => preparedOn(connection).overflow > overflowPerConnection,
  };
}

/** What holds while one statement runs. */
export interface StatementSettings {
  timeoutMs: number;
  timezone?: string;
  /** It may take long. */
  isCostly: boolean;
  /** Told how long the statement took, once it had a connection. */
  spent?: (ms: number) => void;
}

export interface Reader {
  read: RunAlone;
  /** The same connection, for what is not a read of rows. */
  use<T>(work: (client: Queryable) => Promise<T>): Promise<T>;
}

/** Runs one statement as a transaction of its own. */
export type RunAlone = (statement: Statement, settings: StatementSettings) => Promise<ResultRow[]>;

/**
 * Runs reads, each one statement that can change nothing and is cut off after a time. In a pool of its own both are
 * settings of the connection and a read is one round trip; in a shared one they are those of a transaction, so that
 * nobody else's statements inherit them.
 */
export function createReader(pool: Pool, ownPool: boolean): Reader {
  const statements = createStatements();
  const send = sendAlone(statements, { readOnly: true });

  async function readInTransaction(
    connection: Connection,
    statement: Statement,
    timeoutMs: number,
    timezone?: string,
  ): Promise<ResultRow[]> {
    const zone = timezone === undefined ? "" : `; set local timezone = ${escapeLiteral(timezone)}`;
    try {
      await connection.query({
        text: `begin read only; set local statement_timeout = ${timeoutMs}${zone}`,
      });
      return await statements.send(connection, statement);
    } finally {
      await connection.query({ text: "rollback" });
    }
  }

  return {
    read: (statement, { timeoutMs, timezone, spent }) =>
      withConnection({ pool, statements, spent }, (connection) => {
        const limit = wholeMs(timeoutMs);
        // A setting for one request must not outlive it.
        return ownPool && timezone === undefined
          ? send(connection, statement, limit)
          : readInTransaction(connection, statement, limit, timezone);
      }),
    use: (work) =>
      withConnection({ pool, statements }, (connection) =>
        work({ query: (text, values) => connection.query({ text, values }) }),
      ),
  };
}

/** Runs writes, each one statement that is cut off after a time, in a pool that is used for nothing else. */
export function createWriter(pool: Pool): RunAlone {
  const statements = createStatements();
  const send = sendAlone(statements, { readOnly: false });
  return (statement, { timeoutMs, spent }) =>
    withConnection({ pool, statements, spent }, (connection) =>
      send(connection, statement, wholeMs(timeoutMs)),
    );
}

const wholeMs = (timeoutMs: number) => Math.max(1, Math.trunc(timeoutMs));

/** Sends a statement over a connection that keeps its time limit and whether it may write. */
function sendAlone(statements: Statements, { readOnly }: { readOnly: boolean }) {
  const timeouts = new WeakMap<object, number>();
  return async (
    connection: Connection,
    statement: Statement,
    timeoutMs: number,
  ): Promise<ResultRow[]> => {
    if (timeouts.get(connection) === timeoutMs) return statements.send(connection, statement);
    const setting = {
      text: "select set_config('default_transaction_read_only', $1, false), set_config('statement_timeout', $2, false)",
      values: [readOnly ? "on" : "off", String(timeoutMs)],
    };
    // Nothing is sent over a connection of which it is not known whether it may write.
    const isKnown = timeouts.delete(connection);
    if (!isKnown || !connection.together) {
      await connection.query(setting);
      timeouts.set(connection, timeoutMs);
      return statements.send(connection, statement);
    }
    // A change of the limit is no round trip of its own, and the change is taken back when the statement fails.
    const sent = [setting, statements.named(connection, statement)];
    const [, rows = []] = await connection.together(sent);
    timeouts.set(connection, timeoutMs);
    return rows;
  };
}

interface Place extends Pick<StatementSettings, "spent"> {
  pool: Pool;
  statements: Statements;
}

async function withConnection<T>(
  { pool, statements, spent }: Place,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await pool.connect().catch((cause: unknown) => {
    throw isPgError(cause) ? cause : connectionLost(cause);
  });
  let destroy = false;
  const begun = performance.now();
  try {
    return await work(connection);
  } catch (cause) {
    if (cause instanceof ApiError || (isPgError(cause) && !isFatal(cause))) throw cause;
    destroy = true;
    throw connectionLost(cause);
  } finally {
    spent?.(performance.now() - begun);
    connection.release(destroy || statements.isWorn(connection));
  }
}

export function connectionLost(cause: unknown): ApiError {
  const error = new ApiError(
    503,
    "PGRST000",
    "The database cannot be reached. Try again in a moment.",
  );
  error.cause = cause;
  return error;
}
