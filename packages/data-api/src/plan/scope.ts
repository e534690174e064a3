import type { Column, Schema, Table } from "../schema/schema.ts";

export type Can = (resource: string, action: "read" | "write") => boolean;

/** What planning needs to know beside the query. */
export interface PlanScope<Context> {
  schema: Schema<Context>;
  can: Can;
  now: () => Date;
  /** Whether sums and the like may be asked for. */
  aggregates: boolean;
  /** Types may be any of the database's, because its roles decide what may be done. */
  anyType: boolean;
  /** What row rules receive. */
  asker: unknown;
}

/** What rows are read from: a declared table, or the result of a function. */
export interface Source<Context> {
  name: string;
  columns: ReadonlyMap<string, Column>;
  table?: Table<Context>;
  /** It is a function's result. */
  isCalled?: boolean;
}
