import type { Sql } from "sql-template-tag";

/**
 * What a program tells the data API about its tables. What is not declared does not exist outside: not as a table,
 * not as a column, not as an embed, not in an error text.
 *
 * `Context` is whatever the program wants its hooks to receive (its transaction, its actor); the engine only passes
 * it through.
 */

export type WriteVerb = "insert" | "update" | "delete";

/**
 * A row as the client sent it: wire names to JSON values. A number that JavaScript cannot hold exactly is what
 * `JSON.rawJSON` makes of its text.
 */
export type InputRow = Record<string, unknown>;

export interface BeforeWrite<Context> {
  verb: WriteVerb;
  /** For insert and update: what was sent, already cut to the writable columns. Empty for delete. */
  rows: InputRow[];
  context: Context;
}

export interface AfterWrite<Context> {
  verb: WriteVerb;
  /** The affected rows with all their columns, as they are after the write (before it, for delete). */
  rows: Record<string, unknown>[];
  /** For insert and update: what was written, as `beforeWrite` left it; one row for an update. */
  sent: readonly InputRow[];
  context: Context;
}

/** Stands for the value of a secret column in answers, and in writes that leave it as it is. */
export const secretPlaceholder = "********";

/** `column` names a column of the row in question; `asker` is what the request brought. */
export type RowRule = (column: (name: string) => Sql, asker: unknown) => Sql | undefined;

/**
 * What is asked before a statement: `values` selects texts as `value`, which are put into the list `into` that the
 * statement holds, so that it is planned with them.
 */
export interface LookUp {
  values: Sql;
  into: string[];
}

/** What somebody typed to find rows, and under which name the table's rows are asked for. */
export interface TypedSearch {
  text: string;
  alias: string;
  now: Date;
  /** The condition puts here what is to be looked up before it. */
  lookUps: LookUp[];
}

/** What the parameter `search` of a read means, which is one filter more. */
export interface SearchDeclaration {
  /** Row of the permission matrix that using it needs: it may look at more than the table shows. */
  read: string;
  /** Tables and views that conditions rest on and that are not declared; the reading database role may read them. */
  reads?: readonly string[];
  /** The condition, or nothing where the text says nothing. Refuses by throwing. */
  condition: (search: TypedSearch) => Sql | undefined;
}

export interface TableDeclaration<Context = unknown> {
  /** The name of the table or view, on the wire and in the database. */
  name: string;
  /** Row of the permission matrix that reading needs. */
  read: string;
  /** Row of the permission matrix that writing needs; without it the table cannot be written. */
  write?: string;
  /** Columns that exist outside. Without it: all columns but `hidden`. */
  columns?: readonly string[];
  /** Columns that never leave and may not be filtered, ordered or written. */
  hidden?: readonly string[];
  /**
   * Columns whose value never leaves: reading shows `secretPlaceholder` when one is set. They may be written; a row
   * that sends the placeholder back keeps what is stored, and a new row that does has none set.
   */
  secret?: readonly string[];
  /**
   * Which rows the asker may see and change: a condition over columns, or nothing when it may see all. The asker's own
   * conditions that could fail on a row are asked after it.
   */
  rowRule?: RowRule;
  /** Without it `search` is a column like any other. */
  search?: SearchDeclaration;
  /**
   * Columns a client may set. Others in a body are dropped when `ignoreReadOnly`, else refused. Must be said when
   * `write` is and rows can be inserted or updated; generated columns are left out by themselves.
   */
  writable?: readonly string[];
  /** Verbs that are open; all three unless said. */
  verbs?: readonly WriteVerb[];
  /**
   * Drop columns that exist but are not writable from a body in silence. The reference console sends the whole
   * fetched row back when it edits (console-calls X4), so most tables need it.
   */
  ignoreReadOnly?: boolean;
  /** Keys of a body that are no columns: `beforeWrite` is given them and must take them out. */
  accepts?: readonly string[];
  /** In the write's transaction, before it; may change the rows, and refuses by throwing. */
  beforeWrite?: (write: BeforeWrite<Context>) => Promise<InputRow[]>;
  /** In the write's transaction, after it. */
  afterWrite?: (write: AfterWrite<Context>) => Promise<void>;
}

/** A function that may be called as `rpc/name`. Its argument and result types are read from the database. */
export interface FunctionDeclaration {
  name: string;
  /** Row of the permission matrix that calling needs: reading it, or writing it when the function is volatile. */
  resource: string;
}
