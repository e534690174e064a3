import type { Queryable, StatementSettings, RunAlone } from "./connection.ts";
import type { Bounds } from "./sql/bounds.ts";
import type { Can } from "./plan/scope.ts";

/** The stages of a request, in their order. */
export type Stage = "parse" | "plan" | "transaction" | "response";

export type RunWrite<Context> = <T>(
  work: (client: Queryable, context: Context) => Promise<T>,
  settings: StatementSettings,
) => Promise<T>;

/** What is wanted of the database: which of its connections, and whether it may take long. */
export interface Need {
  of: "read" | "write";
  isCostly: boolean;
}

export interface DataApiRequest<Context> {
  method: string;
  /** A table's name, or `rpc/name`. */
  path: string;
  /** As it came, without the question mark. */
  query: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: Buffer | string;
  /** Whether the asker may do this with a row of the permission matrix. */
  can: Can;
  /** What row rules receive. */
  asker?: unknown;
  /** Runs a read in place of the data API's own pool, for who needs a transaction of his own around it. */
  read?: RunAlone;
  /**
   * Runs a write in a transaction in which the settings hold, with the context of its hooks; what is thrown inside
   * undoes it. Without it nothing can be written.
   */
  write?: RunWrite<Context>;
  /** Runs a write that is one statement in place of the data API's own pool, for the same reason. */
  writeAlone?: RunAlone;
  /**
   * Settings of PostgreSQL, by name, that the triggers of a write find where it runs without `write`: one who runs a
   * transaction sets them there. Only a trigger before the whole statement does not find them: it runs before anything
   * of the statement does.
   */
  triggerSettings?: Readonly<Record<string, string>>;
  /** Runs what needs the database, when it is the asker's turn. */
  inTurn?: <T>(need: Need, work: () => Promise<T>) => Promise<T>;
  /** Told how long each statement that ran outside of `write` took. */
  spent?: (ms: number) => void;
  /** Told when a stage ends. */
  mark?: (stage: Stage) => void;
  /** Told what lies behind an answer of 500 and more, of which the answer itself tells little. */
  failed?: (cause: unknown) => void;
  /** Of this request, however costly it is. */
  statementTimeoutMs?: number;
}

/** What one request may cost the database and the wire. */
export interface Limits {
  maxRows: number;
  maxBytes: number;
  /** Bounds that act while the answer is made; absent where the database's roles decide. */
  bounds: Bounds | undefined;
  timeoutMs: number;
  /** Of a statement that may take long, so that it does not. */
  costlyTimeoutMs: number;
}

export function header<Context>(
  request: Pick<DataApiRequest<Context>, "headers">,
  name: string,
): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

export function bodyText<Context>({ body }: DataApiRequest<Context>): string {
  return typeof body === "string" ? body : (body?.toString("utf8") ?? "");
}
