import type { IsValue, Test } from "../parse/filters.ts";
import type { JsonStep } from "../parse/field.ts";
import type { Paging } from "../parse/range.ts";
import type { Column, Overload } from "../schema/schema.ts";
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
  | { kind: "embedded"; embed: PlannedEmbed; negated: boolean; value: IsValue };

export interface PlannedOutput {
  name: string;
  field: PlannedField;
  cast?: string;
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
  output: PlannedOutput[];
  embeds: PlannedEmbed[];
  where: PlannedLogic[];
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
  pairs: ColumnPair[];
  junction?: { table: string; near: ColumnPair[]; far: ColumnPair[] };
  read: ReadPlan;
}

export interface InsertPlan {
  verb: "insert";
  table: string;
  /** Columns taken from the body, with their types. */
  columns: Column[];
  rows: number;
  /** What is done when the values of these columns are taken. */
  conflict?: { on: string[]; merge: boolean };
}

export interface UpdatePlan {
  verb: "update";
  table: string;
  columns: Column[];
  where: PlannedLogic[];
}

export interface DeletePlan {
  verb: "delete";
  table: string;
  where: PlannedLogic[];
}

export type WritePlan = InsertPlan | UpdatePlan | DeletePlan;

export interface CallPlan {
  name: string;
  overload: Overload;
  /** Arguments that were given, in their order, as text (a value of a JSON body keeps its JSON form). */
  args: { name: string; type: string; value: string | null }[];
  /** For results with columns. */
  read?: ReadPlan;
  /** For a list of single values. */
  paging: Paging;
}
