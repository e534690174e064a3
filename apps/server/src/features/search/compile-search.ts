import { parseSearch, type SearchNode, type SearchOrder, SelectorError } from "@mainstay/contract";
import sql, { raw, type Sql } from "sql-template-tag";
import { compare, fieldOf, findField, hasProperty, isAnywhere, noField } from "./compare-field.ts";
import { all, any, contains, like, not, startsWith } from "./conditions.ts";
import type { Searchable } from "./searchable.ts";

/** One query of a search over a kind, in SQL. */
export interface CompiledSearch {
  where: Sql | undefined;
  order: Sql[];
  limit: number | undefined;
  offset: number | undefined;
  /** Where the first of order, limit and offset stands. */
  at?: number | undefined;
  /** Whether it says itself of which agents, or of which deleted ones, it speaks. */
  mentions: ReadonlySet<"agent" | "deleted">;
}

export interface SearchContext {
  kind: Searchable;
  now: Date;
  /**
   * Where the words of a search are looked for: what documents say is the beginning of a name, as elsewhere; what people
   * type is anywhere in what the kind calls its text.
   */
  words: "name" | "text";
}

export function compileSearch(text: string, { kind, now, words }: SearchContext): CompiledSearch[] {
  return parseSearch(text).map(({ where, order, limit, offset, at }) => {
    const mentions = new Set<"agent" | "deleted">();
    const compile = (node: SearchNode): Sql => {
      switch (node.kind) {
        case "and":
          return all(node.parts.map(compile));
        case "or":
          return any(node.parts.map(compile));
        case "not":
          return not(compile(node.part));
        case "word":
          return words === "text" ? textMatches(kind, node) : nameMatches(kind, node);
        case "exists":
          return exists(kind, node);
        case "compare": {
          if (node.field === "related")
            throw new SelectorError(
              "related= is not supported yet: this server cannot walk relationships in a search",
              node.at,
            );
          const column = fieldOf(kind, node.field)?.column;
          if (column === "agent_id") mentions.add("agent");
          if (column === "deleted_at") mentions.add("deleted");
          return compare(kind, node, now);
        }
      }
    };
    return {
      where: where && compile(where),
      order: order.map((one) => compileOrder(kind, one)),
      limit,
      offset,
      at,
      mentions,
    };
  });
}

function nameMatches(
  kind: Searchable,
  { pattern, place }: Extract<SearchNode, { kind: "word" }>,
): Sql {
  const name = raw(kind.name);
  switch (place) {
    case "start":
      return startsWith(name, pattern);
    case "anywhere":
      return contains(name, pattern);
    case "whole":
      return like(name, pattern);
  }
}

/** A word that has wildcards says itself where the rest is. */
function textMatches(kind: Searchable, node: Extract<SearchNode, { kind: "word" }>): Sql {
  if (node.place === "whole") return nameMatches(kind, node);
  const text = kind.own["text"];
  const of = text?.type === "anywhere" ? text.of : [kind.name, kind.namespace];
  return isAnywhere(of, node.pattern);
}

function exists(kind: Searchable, { field, at }: Extract<SearchNode, { kind: "exists" }>): Sql {
  const target = findField(kind, field);
  if (!target) throw noField(kind, field, at);
  return "property" in target
    ? hasProperty(kind, target.property)
    : sql`${target.text} is not null`;
}

function compileOrder(kind: Searchable, { field, isDescending, at }: SearchOrder): Sql {
  const target = findField(kind, field);
  if (!target || "property" in target) throw noField(kind, field, at);
  const value =
    target.type === "text" || target.type === "type" || target.type === "health"
      ? sql`lower(${target.text}) collate "C"`
      : target.text;
  return isDescending ? sql`${value} desc nulls last` : sql`${value} asc nulls last`;
}
