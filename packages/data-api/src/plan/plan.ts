import type { Sql } from "sql-template-tag";
import type { LookUp } from "../declare.ts";
import type { JsonStep } from "../parse/field.ts";
import type { IsValue, Test } from "../parse/filters.ts";
import type { Aggregate } from "../parse/select.ts";
import type { Paging } from "../parse/range.ts";
import type { Column, FunctionName, Overload } from "../schema/schema.ts";
import type { ColumnPair } from "../schema/relationships.ts";

/**
 * A plan says what to ask the database, in names that are known to exist and to be allowed. It is a plain value:
 * `sql/` turns it into one statement without asking anything again.
 */

export interface PlannedField {
  column: Column;
  path: JsonStep[];
}

export type PlannedLogic =
  | { kind: "test"; field: PlannedField; negated: boolean; test: Test }
  | { kind: "group"; operator: "and" | "or"; negated: boolean; items: PlannedLogic[] }
  /** Whether an embed has rows. */
  | { kind: "embedded"; embed: PlannedEmbed; negated: boolean; value: IsValue }
  /** The program's own rule about which rows the asker may see. */
  | { kind: "rule"; condition: Sql };

/** A column of an embed that was spread into its parent. */
export interface SpreadField {
  embed: PlannedEmbed;
  key: string;
}

export interface PlannedOutput {
  /** Its key in the answer. */
  name: string;
  /** Absent when rows are counted. */
  field?: PlannedField | SpreadField;
  cast?: string;
  aggregate?: Aggregate;
}

export interface PlannedOrder {
  /** The to-one embed whose column it is. */
  embed?: PlannedEmbed;
  field: PlannedField;
  direction?: "asc" | "desc";
  nulls?: "first" | "last";
}

/** Reading rows of one table with what is embedded in them. */
export interface ReadPlan {
  table: string;
  /** Unique in the statement. */
  alias: string;
  /** The asker may see every row of it: a table without a rule, not a view or the result of a function. */
  isWhole: boolean;
  output: PlannedOutput[];
  embeds: PlannedEmbed[];
  where: PlannedLogic[];
  /** What its conditions have looked up before. */
  lookUps?: readonly LookUp[];
  order: PlannedOrder[];
  paging: Paging;
}

export interface PlannedEmbed {
  /** Its key in the answer. */
  name: string;
  /** Unique in the statement. */
  alias: string;
  many: boolean;
  inner: boolean;
  /** Its columns become columns of the parent. */
  spread: boolean;
  /** False for `name()`: it filters and is not shown. */
  shown: boolean;
  /** The one row is not sure to be the only one: a view stands where the key's table would. */
  unsure: boolean;
  pairs: readonly ColumnPair[];
  /** The function that returns the rows for a row of the parent. */
  computedBy?: FunctionName;
  /** What that function is given, when the parent's alias is not a row of its table. */
  parentRow?: Sql;
  junction?: {
    table: string;
    isWhole: boolean;
    near: ColumnPair[];
    far: ColumnPair[];
    where: PlannedLogic[];
  };
  read: ReadPlan;
}

export interface InsertPlan {
  verb: "insert";
  table: string;
  /** Columns taken from the body, with their types. */
  columns: Column[];
  rows: number;
  /** A key that a row leaves out gets its column's default. */
  fillsDefaults: boolean;
  /**
   * Secret columns that some rows leave out to keep what is stored; a new row gets their default.
   */
  kept: readonly string[];
  /** What is done when the values of these columns are taken. */
  conflict?: { on: string[]; merge: boolean };
  /** For `PUT`: only a row with these key values. */
  where: PlannedLogic[];
}

export interface UpdatePlan {
  verb: "update";
  table: string;
  columns: Column[];
  fillsDefaults: boolean;
  where: PlannedLogic[];
  page?: LimitedPage;
}

export interface DeletePlan {
  verb: "delete";
  table: string;
  where: PlannedLogic[];
  page?: LimitedPage;
}

/** Which of the rows that match are changed, told apart by what orders them. */
export interface LimitedPage {
  paging: Paging;
  order: PlannedOrder[];
}

export type WritePlan = InsertPlan | UpdatePlan | DeletePlan;

export interface CallPlan {
  name: string;
  overload: Overload;
  /** Arguments that were given, in their order. */
  args: PlannedArgument[];
  /** For results with columns. */
  read?: ReadPlan;
  /** For a list of single values. */
  paging: Paging;
}

export interface PlannedArgument {
  /** Empty for one without a name. */
  name: string;
  type: string;
  variadic: boolean;
  /** As text (a value of a JSON body keeps its JSON form), or the bytes of a body. */
  value: string | Buffer | null;
  /** The text is JSON, of which PostgreSQL makes the type: a list or a composite value. */
  isStructure: boolean;
}
