import type { Pattern } from "./match-list.ts";

/** What the text of a search says, before anybody knows which fields there are. `at` counts characters from 0. */

export type CompareOperator = "=" | "!=" | "<" | ">" | "<=" | ">=";

export interface SearchValue {
  pattern: Pattern;
  /** Written with `!` before it. */
  isExcluded: boolean;
  at: number;
}

export type SearchNode =
  | { kind: "and" | "or"; parts: readonly SearchNode[] }
  | { kind: "not"; part: SearchNode }
  /** `start`: the name begins with it, `anywhere`: it has it in it, `whole`: its wildcards say. */
  | { kind: "word"; pattern: Pattern; place: "start" | "anywhere" | "whole"; at: number }
  /** A key of a map: `labels.x`. */
  | { kind: "exists"; field: string; at: number }
  | {
      kind: "compare";
      field: string;
      operator: CompareOperator;
      values: readonly SearchValue[];
      at: number;
    };

/** A part of the text that has been understood, from one character up to another. */
export interface SearchToken {
  kind: "field" | "operator" | "value" | "word" | "not" | "or" | "group" | "open";
  from: number;
  to: number;
}

export interface SearchOrder {
  field: string;
  isDescending: boolean;
  at: number;
}

/** One of the queries that `;` joins. */
export interface SearchQuery {
  /** Everything, when there is none. */
  where: SearchNode | undefined;
  order: readonly SearchOrder[];
  limit: number | undefined;
  offset: number | undefined;
  /** Where the first of order, limit and offset stands. */
  at?: number | undefined;
}

export const searchLimits = {
  length: 4_096,
  queries: 10,
  /** Words, comparisons and values, in all queries together. */
  terms: 200,
  depth: 20,
  rows: 1_000,
  offset: 1_000_000,
} as const;
