import type { CatalogColumn } from "./catalog.ts";

export interface Column {
  name: string;
  type: string;
  /** The type beneath a domain, without length. */
  base: string;
  isJson: boolean;
  /** A date or a time of day on a date: takes date expressions in `.filter`. */
  isMoment: boolean;
  generated: boolean;
  nullable: boolean;
  /** The expression that stands when nothing is given, as PostgreSQL writes it. */
  default: string | null;
  comment: string | null;
  maxLength: number | null;
  /** Labels of an enum, in order. */
  labels: readonly string[] | null;
  /** SQL names of the functions that represent its domain: to JSON, from text, from JSON. */
  toJson: string | null;
  fromText: string | null;
  fromJson: string | null;
  /** The function that makes it of a row; such a column is not among `*`. */
  computedBy?: FunctionName;
  /** Its value never leaves. */
  secret?: boolean;
}

export interface FunctionName {
  schema: string;
  name: string;
}

const unknownColumn = {
  generated: false,
  nullable: true,
  default: null,
  comment: null,
  maxLength: null,
  labels: null,
  toJson: null,
  fromText: null,
  fromJson: null,
};

export const toColumn = (
  column: Pick<CatalogColumn, "name" | "type" | "base"> & Partial<CatalogColumn>,
): Column => ({
  ...unknownColumn,
  ...column,
  isJson: isJson(column.base),
  isMoment: column.base.startsWith("timestamp") || column.base === "date",
});

export const isJson = (base: string) => base === "json" || base === "jsonb";
