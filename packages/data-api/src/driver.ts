import { type PoolClient, type Pool as DriverPool, type Submittable, types } from "pg";
import type { Connection, NamedStatement, Pool, ResultRow } from "./connection.ts";
import { bind, close, describe, execute, type Message, packed, parse, sync } from "./wire.ts";

/**
 * The way to the database for who sends the same few statements all day: pg's connections and pool, without its queries.
 * Those cost more than all that the data API does itself: an event emitter and a result each, a description of columns
 * with every answer, and a write and a turn back for each of several statements.
 */

/** A connection whose statements can depend on one another. */
export interface LeanConnection extends Connection {
  /**
   * Runs statements all or none, and gives the rows of each. They are one message train with one `Sync` at its
   * end: PostgreSQL runs what stands before a `Sync` as one transaction unless a `begin` among it opens one, and after
   * the first that fails, or is cancelled, it reads on to the `Sync` and does nothing of what is between.
   */
  together(statements: readonly NamedStatement[]): Promise<ResultRow[][]>;
}

export interface LeanPool extends Pool {
  connect(): Promise<LeanConnection>;
}

/** A pool whose connections send statements in the shortest way. It must not be one that pipelines. */
export function leanPool(pool: DriverPool): LeanPool {
  const connections = new WeakMap<PoolClient, LeanConnection>();

  function leanOf(client: PoolClient): LeanConnection {
    const known = connections.get(client);
    if (known) return known;
    const made = leanConnection(client);
    connections.set(client, made);
    return made;
  }

  return {
    // With a callback, as the pool's own promise takes more turns.
    connect: () =>
      new Promise((resolve, reject) => {
        pool.connect((error, client) => {
          if (client) resolve(leanOf(client));
          else reject(error ?? new Error("The pool gave no connection."));
        });
      }),
  };
}

function leanConnection(client: PoolClient): LeanConnection {
  const prepared = new Map<string, Columns>();
  const together = (statements: readonly NamedStatement[]) =>
    new Promise<ResultRow[][]>((resolve, reject) => {
      client.query(new Train(statements, prepared, { resolve, reject }));
    });
  return {
    together,
    query: async (statement) => {
      const [rows = []] = await together([statement]);
      return { rows };
    },
    release: (destroy) => client.release(destroy),
  };
}

/** The columns of what a statement answers, which stay the same while it is prepared. */
type Columns = readonly { name: string; read: (text: string) => unknown }[];

interface Outcome {
  resolve(rows: ResultRow[][]): void;
  reject(error: Error): void;
}

/** It does not know the statement, or the statement's columns are no longer what they were. */
const isForgotten = (error: Error) =>
  "code" in error && (error.code === "26000" || error.code === "0A000");

/** Statements under way, as pg's client deals with a query: the methods are those that it calls. */
class Train implements Submittable {
  readonly #statements: readonly NamedStatement[];
  readonly #prepared: Map<string, Columns>;
  readonly #outcome: Outcome;
  readonly #answers: ResultRow[][] = [];
  readonly #described: (Columns | undefined)[] = [];
  #rows: ResultRow[] = [];
  #columns: Columns | undefined;

  constructor(
    statements: readonly NamedStatement[],
    prepared: Map<string, Columns>,
    outcome: Outcome,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#outcome = outcome;
  }

  /** @returns what is wrong with a statement, of which nothing is sent then. */
  submit({ stream }: Parameters<Submittable["submit"]>[0]): Error | undefined {
    try {
      const train = packed(this.#messages());
      this.#columns = this.#knownColumns();
      // pg hears of a connection that has ended, and tells all that wait.
      if (stream.writable) stream.write(train);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #messages(): Message[] {
    const messages: Message[] = [];
    for (const { name = "", text, values = [] } of this.#statements) {
      const isKnown = this.#prepared.has(name);
      // One of that name may be there, prepared by a train that failed later.
      if (!isKnown && name !== "") messages.push(close(name));
      if (!isKnown) messages.push(parse(name, text));
      messages.push(bind(name, values));
      if (!isKnown) messages.push(describe);
      messages.push(execute);
    }
    messages.push(sync);
    return messages;
  }

  /** Of the statement whose turn it is, where they need not be told. */
  #knownColumns(): Columns | undefined {
    const name = this.#statements[this.#answers.length]?.name;
    return name === undefined ? undefined : this.#prepared.get(name);
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      read: types.getTypeParser(dataTypeID, "text") as (text: string) => unknown,
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: ResultRow = {};
    this.#columns?.forEach(({ name, read }, index) => {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : read(text);
    });
    this.#rows.push(row);
  }

  handleCommandComplete(): void {
    this.#answers.push(this.#rows);
    this.#described.push(this.#columns);
    this.#rows = [];
    this.#columns = this.#knownColumns();
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete();
  }

  /** All are done and kept. */
  handleReadyForQuery(): void {
    this.#statements.forEach(({ name }, index) => {
      if (name !== undefined) this.#prepared.set(name, this.#described[index] ?? []);
    });
    this.#outcome.resolve(this.#answers);
  }

  handleError(error: Error): void {
    if (isForgotten(error))
      for (const { name } of this.#statements) if (name !== undefined) this.#prepared.delete(name);
    this.#outcome.reject(error);
  }
}
