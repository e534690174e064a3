import { beyondLimit } from "../errors.ts";
import { limits } from "../limits.ts";
import { Cursor } from "./cursor.ts";
import { type Field, parseField } from "./field.ts";

const aggregates = ["avg", "count", "max", "min", "sum"] as const;
export type AggregateName = (typeof aggregates)[number];

/** A function over the rows of a group, and what its result is cast to. */
export interface Aggregate {
  name: AggregateName;
  cast?: string;
}

export type SelectItem =
  | { kind: "all" }
  /** Without a field it counts rows. */
  | { kind: "field"; field?: Field; alias?: string; cast?: string; aggregate?: Aggregate }
  | SelectEmbed;

export interface SelectEmbed {
  kind: "embed";
  target: string;
  alias?: string;
  /** A constraint, column or join table that says which relationship is meant. */
  hint?: string;
  inner: boolean;
  /** `...name()`: its columns go into the parent. */
  spread: boolean;
  items: SelectItem[];
}

/** Reads `select`. One stray `)` at the end is let pass (console-calls I6). */
export function parseSelect(text: string): SelectItem[] {
  const cursor = new Cursor("select parameter", text);
  const budget = { items: 0 };
  cursor.spaces();
  if (cursor.done) return [];
  const items = parseItems(cursor, 0, budget);
  cursor.take(")");
  cursor.spaces();
  if (!cursor.done) throw cursor.refusal('"," or end of input');
  return items;
}

function parseItems(cursor: Cursor, depth: number, budget: { items: number }): SelectItem[] {
  if (depth > limits.selectDepth)
    throw beyondLimit("levels of embedding in select", limits.selectDepth);
  const items: SelectItem[] = [];
  do {
    cursor.spaces();
    budget.items += 1;
    if (budget.items > limits.selectItems)
      throw beyondLimit("columns and embeds in select", limits.selectItems);
    items.push(parseItem(cursor, depth, budget));
    cursor.spaces();
  } while (cursor.take(","));
  return items;
}

const itemExpected = '"...", field name (* or [a..z0..9_$]), "*" or "count()"';

function parseItem(cursor: Cursor, depth: number, budget: { items: number }): SelectItem {
  if (cursor.take("*")) return { kind: "all" };
  const spread = cursor.take("...");
  let alias: string | undefined;
  const start = cursor.at;
  const first = cursor.name(itemExpected);
  if (!spread && cursor.peek(":") && !cursor.peek("::")) {
    cursor.take(":");
    alias = first;
  } else {
    cursor.at = start;
  }
  const nameStart = cursor.at;
  const name = cursor.name();
  if (name === "count" && cursor.take("()")) {
    return { kind: "field", alias, aggregate: { name: "count", cast: parseCast(cursor) } };
  }
  if (spread || cursor.peek("!") || cursor.peek("(")) {
    return parseEmbed(cursor, { target: name, alias, spread }, depth, budget);
  }
  cursor.at = nameStart;
  const field = parseField(cursor);
  const cast = parseCast(cursor);
  return { kind: "field", field, alias, cast, aggregate: parseAggregate(cursor) };
}

const typeWord = /[\p{L}\p{Nd}_$ ]+/uy;
const typeEnd = /(?:\(\d+(?:,\d+)?\))?(?:\[\])*/y;

function parseCast(cursor: Cursor): string | undefined {
  if (!cursor.take("::")) return undefined;
  let type = cursor.run(typeWord);
  if (type.trim() === "") throw cursor.refusal("a type");
  // A type of a schema, unless it is a function that follows.
  const isFunction = aggregates.some((aggregate) => cursor.peek(`.${aggregate}()`));
  if (!isFunction && cursor.take(".")) type += `.${cursor.run(typeWord)}`;
  return `${type.trim()}${cursor.run(typeEnd)}`;
}

function parseAggregate(cursor: Cursor): Aggregate | undefined {
  if (!cursor.take(".")) return undefined;
  const name = aggregates.find((known) => cursor.peek(`${known}()`));
  if (!name) throw cursor.refusal('"sum", "avg", "count", "max" or "min"');
  cursor.take(`${name}()`);
  return { name, cast: parseCast(cursor) };
}

function parseEmbed(
  cursor: Cursor,
  head: Pick<SelectEmbed, "target" | "alias" | "spread">,
  depth: number,
  budget: { items: number },
): SelectEmbed {
  const embed: SelectEmbed = { kind: "embed", ...head, inner: false, items: [] };
  while (cursor.take("!")) {
    const word = cursor.name("inner, left or a hint");
    if (word === "inner") embed.inner = true;
    else if (word !== "left") embed.hint = word;
  }
  cursor.spaces();
  cursor.expect("(");
  cursor.spaces();
  if (!cursor.peek(")")) embed.items = parseItems(cursor, depth + 1, budget);
  cursor.expect(")");
  return embed;
}
