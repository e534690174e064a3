import { parseSearch, type SearchNode, type SearchOrder, SelectorError } from "@mainstay/contract";
import sql, { raw, type Sql } from "sql-template-tag";
import {
  compare,
  fieldOf,
  fieldOfAbout,
  findField,
  hasProperty,
  isAnywhere,
  noField,
  ofAbout,
} from "./compare-field.ts";
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

export function compileSearch(text: string, context: SearchContext): CompiledSearch[] {
  return parseSearch(text).map(({ where, order, limit, offset, at }) => {
    const mentions = new Set<"agent" | "deleted">();
    return {
      where: where && compileNode(where, context, mentions),
      order: order.map((one) => compileOrder(context.kind, one)),
      limit,
      offset,
      at,
      mentions,
    };
  });
}

export function compileNode(
  node: SearchNode,
  { kind, now, words }: SearchContext,
  mentions = new Set<"agent" | "deleted">(),
): Sql {
  const compile = (part: SearchNode) => compileNode(part, { kind, now, words }, mentions);
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
}

/** The parts of a search that must all hold. */
export interface SearchParts {
  /** What says something of nothing but fields by which rows are counted. */
  ofCounted: Sql[];
  ofRows: Sql[];
  /** What must not hold for a row, where that is all that is said. */
  without: Sql[];
  /** What says something only of what the rows are about, as conditions on that, so that it can be looked up first. */
  ofAbout: Sql[];
  /** The same, of nothing but its tags. */
  ofTags: Sql[];
}

export interface PlacesOfParts {
  /** What the rows are about, as it is called in the statement. */
  about: Searchable;
  /** The same where rows are sets of its tags. */
  tags: Searchable;
  /** Fields by which rows are counted somewhere else. */
  counted: ReadonlySet<string>;
}

export function compileParts(
  where: SearchNode,
  context: SearchContext,
  { about, tags, counted }: PlacesOfParts,
): SearchParts {
  const found: SearchParts = { ofCounted: [], ofRows: [], without: [], ofAbout: [], ofTags: [] };
  const isCounted = (field: string) => counted.has(fieldOf(context.kind, field)?.column ?? field);
  for (const part of where.kind === "and" ? where.parts : [where]) {
    const elsewhere = askedOfAbout(context.kind, part);
    if (elsewhere && asksOnly(elsewhere, isOfTags))
      found.ofTags.push(compileNode(elsewhere, { ...context, kind: tags }));
    else if (elsewhere) found.ofAbout.push(compileNode(elsewhere, { ...context, kind: about }));
    else if (asksOnly(part, isCounted)) found.ofCounted.push(compileNode(part, context));
    else {
      const unwanted = withoutNot(part);
      if (unwanted) found.without.push(compileNode(unwanted, context));
      else found.ofRows.push(compileNode(part, context));
    }
  }
  return found;
}

/** What a part says is not so. */
function withoutNot(node: SearchNode): SearchNode | undefined {
  if (node.kind === "not") return node.part;
  return node.kind === "compare" && node.operator === "!=" ? { ...node, operator: "=" } : undefined;
}

/** A namespace is a tag. */
const isOfTags = (field: string) => field === "namespace" || field.startsWith("tags.");

function asksOnly(node: SearchNode, isOne: (field: string) => boolean): boolean {
  switch (node.kind) {
    case "word":
      return false;
    case "exists":
    case "compare":
      return isOne(node.field);
    case "not":
      return asksOnly(node.part, isOne);
    case "and":
    case "or":
      return node.parts.every((part) => asksOnly(part, isOne));
  }
}

/** The same asked of what rows are about; nothing where it is not of that alone. */
function askedOfAbout(kind: Searchable, node: SearchNode): SearchNode | undefined {
  switch (node.kind) {
    case "word":
      return undefined;
    case "exists":
    case "compare": {
      const field = fieldOfAbout(kind, node.field);
      return field === undefined ? undefined : { ...node, field };
    }
    case "not": {
      const part = askedOfAbout(kind, node.part);
      return part && { kind: "not", part };
    }
    case "and":
    case "or": {
      const parts = node.parts.map((part) => askedOfAbout(kind, part));
      return parts.every((part) => part !== undefined) ? { kind: node.kind, parts } : undefined;
    }
  }
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
  const elsewhere = fieldOfAbout(kind, field);
  if (elsewhere !== undefined)
    return ofAbout(kind, (about) => exists(about, { kind: "exists", field: elsewhere, at }));
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
