import type { RE2JS } from "re2js";

/**
 * What a JSONPath is when it is read (RFC 9535). A query is a root and segments; a segment has selectors, each of which
 * picks children of a node, or of all that is below it; a filter picks those of which an expression is true.
 */

export interface Query {
  root: "$" | "@";
  segments: Segment[];
}

export interface Segment {
  /** Of the children, or of everything below. */
  descends: boolean;
  selectors: Selector[];
}

export type Selector =
  | { kind: "name"; name: string }
  | { kind: "index"; index: number }
  | { kind: "slice"; start?: number; end?: number; step: number }
  | { kind: "wildcard" }
  | { kind: "filter"; test: Expression };

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";
export type Literal = string | number | boolean | null;

export type Expression =
  | { kind: "or" | "and"; left: Expression; right: Expression }
  | { kind: "not"; of: Expression }
  | { kind: "compare"; operator: Comparison; left: Expression; right: Expression }
  | { kind: "match"; of: Expression; pattern: RE2JS }
  | { kind: "in"; of: Expression; list: Expression }
  | { kind: "list"; items: Expression[] }
  | { kind: "literal"; value: Literal }
  | { kind: "query"; query: Query }
  | { kind: "call"; name: FunctionName; given: Expression[] };

/** The types of RFC 9535, section 2.4.1. */
export type Type = "value" | "nodes" | "logical";

export const functionTypes = {
  length: { takes: ["value"], gives: "value" },
  count: { takes: ["nodes"], gives: "value" },
  value: { takes: ["nodes"], gives: "value" },
  match: { takes: ["value", "value"], gives: "logical" },
  search: { takes: ["value", "value"], gives: "logical" },
} as const satisfies Record<string, { takes: readonly Type[]; gives: Type }>;

export type FunctionName = keyof typeof functionTypes;

/** At most one node, whatever the document. */
export const isSingular = ({ segments }: Query): boolean =>
  segments.every(
    ({ descends, selectors }) =>
      !descends &&
      selectors.length === 1 &&
      (selectors[0]!.kind === "name" || selectors[0]!.kind === "index"),
  );
