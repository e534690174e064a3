import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Paging } from "../parse/range.ts";
import type { PlannedEmbed, PlannedField, PlannedOrder, ReadPlan } from "../plan/plan.ts";
import type { ColumnPair } from "../schema/relationships.ts";
import { fieldSql, logicSql, whereSql } from "./conditions.ts";
import { column, name, relation } from "./names.ts";

/** How the answer to a read is made. */
export interface ReadOptions {
  schema: string;
  /** One object instead of a list. */
  single: boolean;
  /** All rows that match are counted. */
  count: boolean;
  /** No more rows than this; when it cuts, the rows that match are counted too, so that the answer can say so. */
  maxRows: number;
  maxBytes: number;
  /** What stands after `from`, when it is not the table itself. */
  from?: Sql;
  /** Left out of a call's result, which is what it is. */
  skipTotal?: boolean;
}

/**
 * The statement of a read: one row of `body` (JSON text made by PostgreSQL), `bytes`, `rows` and `total`.
 */
export function readSql(plan: ReadPlan, options: ReadOptions): Sql {
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const page = rowsSql({ ...plan, paging: { ...plan.paging, limit } }, options);
  const total = totalSql(countSql(plan, options), isCut, options);
  return answerSql(
    sql`select ${bodySql(options.single)} as body, count(*) as rows, ${total} as total from (${page}) page`,
    options.maxBytes,
  );
}

/** The number of rows to ask for, and whether it is ours rather than the asker's. */
export function cutLimit({ limit }: Paging, maxRows: number): { limit: number; isCut: boolean } {
  const isCut = limit === undefined || limit > maxRows;
  return { limit: isCut ? maxRows : limit, isCut };
}

/** Counting all rows: when asked, and when the page is full because of our own limit. */
export function totalSql(
  all: Sql,
  isCut: boolean,
  options: Pick<ReadOptions, "count" | "maxRows" | "skipTotal">,
): Sql {
  if (options.count) return sql`(${all})`;
  if (!isCut || options.skipTotal) return raw("null");
  return sql`case when count(*) >= ${whole(options.maxRows)} then (${all}) end`;
}

export const bodySql = (single: boolean): Sql =>
  single
    ? raw("coalesce(json_agg(page.*)->0, 'null')::text")
    : raw("coalesce(json_agg(page.*), '[]')::text");

/** Leaves the body out when it is too large to be sent. */
export function answerSql(answer: Sql, maxBytes: number): Sql {
  return sql`select case when octet_length(body) <= ${whole(maxBytes)} then body end as body, octet_length(body)::text as bytes, rows::text, total::text from (${answer}) answer`;
}

/**
 * A number in the text of the statement, for what is alike in most requests: the planner then knows how few rows are
 * wanted, and a prepared statement keeps its plan instead of being planned each time.
 */
const whole = (count: number): Sql => raw(String(Math.trunc(count)));

const countSql = (plan: ReadPlan, options: ReadOptions): Sql =>
  sql`select count(*) from ${fromSql(plan, options)}${conditionsSql(plan, options, "subquery")}`;

const fromSql = (plan: ReadPlan, options: Pick<ReadOptions, "schema" | "from">): Sql =>
  sql`${options.from ?? relation(options.schema, plan.table)} as ${raw(plan.alias)}`;

/** The rows of a plan with their embeds, as a select without aggregation. */
export function rowsSql(
  plan: ReadPlan,
  options: Pick<ReadOptions, "schema" | "from">,
  link: Sql[] = [],
): Sql {
  const joins = plan.embeds.map((embed) => joinSql(plan.alias, embed, options.schema));
  return sql`select ${outputSql(plan)} from ${fromSql(plan, options)}${join([empty, ...joins], "")}${conditionsSql(plan, options, "join", link)}${orderSql(plan, options.schema)}${pagingSql(plan.paging)}`;
}

function outputSql(plan: ReadPlan): Sql {
  const output = plan.output.map(({ name: key, field, cast }) => {
    const value = fieldSql(plan.alias, field);
    return sql`${cast ? sql`cast(${value} as ${raw(cast)})` : value} as ${name(key)}`;
  });
  for (const embed of plan.embeds) {
    if (embed.spread) {
      for (const key of outputKeys(embed.read))
        output.push(sql`${column(embed.alias, key)} as ${name(key)}`);
    } else if (embed.shown) {
      const alias = raw(embed.alias);
      const value = embed.many ? sql`coalesce(${alias}.list, '[]')` : sql`row_to_json(${alias}.*)`;
      output.push(sql`${value} as ${name(embed.name)}`);
    }
  }
  return output.length === 0 ? empty : join(output, ", ");
}

const outputKeys = (plan: ReadPlan): string[] => [
  ...plan.output.map(({ name: key }) => key),
  ...plan.embeds.flatMap((embed) =>
    embed.spread ? outputKeys(embed.read) : embed.shown ? [embed.name] : [],
  ),
];

function joinSql(parent: string, embed: PlannedEmbed, schema: string): Sql {
  const alias = raw(embed.alias);
  const rows = embedRowsSql(parent, embed, schema);
  const kind = raw(embed.inner ? " inner join lateral " : " left join lateral ");
  if (!embed.many) return sql`${kind}(${rows}) as ${alias} on true`;
  const condition = embed.inner ? sql`${alias}.list is not null` : raw("true");
  return sql`${kind}(select json_agg(item.*) as list from (${rows}) item) as ${alias} on ${condition}`;
}

function embedRowsSql(parent: string, embed: PlannedEmbed, schema: string): Sql {
  const { read, junction } = embed;
  const paging: Paging = embed.unsure ? { ...read.paging, limit: 1 } : read.paging;
  if (!junction)
    return rowsSql({ ...read, paging }, { schema }, pairSql(parent, read.alias, embed.pairs));
  const between = `${embed.alias}j`;
  const link = [
    ...junction.near.map(([near, far]) => sql`${column(between, near)} = ${column(parent, far)}`),
    ...junction.far.map(
      ([near, far]) => sql`${column(between, near)} = ${column(read.alias, far)}`,
    ),
  ];
  const from = sql`${relation(schema, junction.table)} as ${raw(between)}, ${relation(schema, read.table)}`;
  return rowsSql({ ...read, paging }, { schema, from }, link);
}

const pairSql = (parent: string, child: string, pairs: readonly ColumnPair[]): Sql[] =>
  pairs.map(([near, far]) => sql`${column(child, far)} = ${column(parent, near)}`);

/**
 * The conditions of a plan. With `join` the embeds are joined and can be asked; with `subquery` (for counting) what
 * depends on an embed is asked by itself.
 */
function conditionsSql(
  plan: ReadPlan,
  options: Pick<ReadOptions, "schema">,
  ask: "join" | "subquery",
  link: Sql[] = [],
): Sql {
  const exists = (embed: PlannedEmbed) =>
    sql`exists (${embedRowsSql(plan.alias, embed, options.schema)})`;
  const joined = (embed: PlannedEmbed) =>
    embed.many
      ? sql`(${raw(embed.alias)}.list is not null)`
      : sql`(row_to_json(${raw(embed.alias)}.*) is not null)`;
  const conditions = plan.where.map((logic) =>
    logicSql(plan.alias, logic, ask === "join" ? joined : exists),
  );
  const inner = ask === "subquery" ? plan.embeds.filter((embed) => embed.inner).map(exists) : [];
  return whereSql([...link, ...conditions, ...inner]);
}

function orderSql({ alias, order }: ReadPlan, schema: string): Sql {
  if (order.length === 0) return empty;
  return sql` order by ${join(
    order.map((term) => orderTermSql(alias, term, schema)),
    ", ",
  )}`;
}

const directions = { asc: raw(" asc"), desc: raw(" desc") };
const nullsPlaces = { first: raw(" nulls first"), last: raw(" nulls last") };

function orderTermSql(alias: string, term: PlannedOrder, schema: string): Sql {
  const { field, direction, nulls, embed } = term;
  const value = embed ? embeddedValueSql(alias, embed, field, schema) : fieldSql(alias, field);
  return sql`${value}${direction ? directions[direction] : empty}${nulls ? nullsPlaces[nulls] : empty}`;
}

/** One value of the one row of an embed. */
function embeddedValueSql(
  parent: string,
  embed: PlannedEmbed,
  field: PlannedField,
  schema: string,
): Sql {
  const read: ReadPlan = { ...embed.read, output: [{ name: "value", field }], embeds: [] };
  return sql`(${embedRowsSql(parent, { ...embed, read }, schema)})`;
}

export function pagingSql({ limit, offset }: Paging): Sql {
  return sql`${limit === undefined ? empty : sql` limit ${whole(limit)}`}${offset === undefined ? empty : sql` offset ${offset}`}`;
}
