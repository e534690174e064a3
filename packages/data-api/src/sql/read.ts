import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Paging } from "../parse/range.ts";
import type { Media, Shape } from "../parse/accept.ts";
import type {
  PlannedEmbed,
  PlannedField,
  PlannedOrder,
  PlannedOutput,
  ReadPlan,
} from "../plan/plan.ts";
import type { ColumnPair } from "../schema/relationships.ts";
import {
  type Bounds,
  counted,
  countedList,
  cutsSql,
  listLimit,
  type Made,
  madeOf,
} from "./bounds.ts";
import { conditionsSql, fieldSql, whereSql } from "./conditions.ts";
import { column, name, relation } from "./names.ts";

/** How the answer to a read is made. */
export interface ReadOptions {
  schema: string;
  shape: Pick<Shape, "kind" | "stripped" | "media">;
  /** Rows that match are counted: all, or no more than tell that they are more than may be answered. */
  count?: "all" | "some";
  /** When the limit of rows cuts an answer, the rows that match are counted, so that it can say so. */
  tellsCut: boolean;
  maxRows: number;
  maxBytes: number;
  /** What holds while the answer is made. */
  bounds?: Bounds;
  /** The settings `response.status` and `response.headers` come with the row, as they are after the statement. */
  tellsSettings: boolean;
  /** What stands after `from`, when it is not the table itself. */
  from?: Sql;
  /** Left out of a call's result, which is what it is. */
  skipTotal?: boolean;
}

/**
 * The statement of a read: one row of `body` (text made by PostgreSQL), `bytes`, `rows` and `total`.
 */
export function readSql(plan: ReadPlan, options: ReadOptions): Sql {
  const { limit, isCut } = cutLimit(plan.paging, options.maxRows);
  const made = options.bounds && madeOf(plan, options.bounds);
  const shown = shownPlan(plan, options.shape);
  const page = rowsSql({ ...shown, paging: { ...plan.paging, limit } }, { ...options, made });
  const total = totalSql(countSql(plan, options), isCut, options);
  const answer = madeSql(page, options.shape, {
    keys: outputKeys(plan),
    table: relation(options.schema, plan.table),
    made: made && { ...made, times: limit ?? Number.POSITIVE_INFINITY },
  });
  return answerSql(
    sql`select ${answer.body} as body, count(*) as rows, ${total} as total from ${answer.from}`,
    { ...options, plan },
  );
}

/** The rows of a table are given to what makes a media type of them as they are, not as JSON shows them. */
export function shownPlan(plan: ReadPlan, { media }: ReadOptions["shape"]): ReadPlan {
  if (media?.by?.takes !== "rows of the table") return plan;
  return {
    ...plan,
    output: plan.output.map((one) =>
      one.field && "column" in one.field
        ? { ...one, field: { ...one.field, column: { ...one.field.column, toJson: null } } }
        : one,
    ),
  };
}

interface MadeOptions {
  keys: readonly string[];
  /** Whose rows they are. */
  table?: Sql;
  made: Made | undefined;
}

/** What is made of the rows of a page, and of what it is selected. */
export function madeSql(
  page: Sql,
  shape: ReadOptions["shape"],
  { keys, table, made }: MadeOptions,
): { body: Sql; from: Sql } {
  const { media } = shape;
  if (!media?.by) return { body: bodySql(shape, keys), from: pageSql(page, shape, made) };
  const rows =
    media.by.takes === "rows of the table" && table ? sql`(page.*)::${table}` : raw("page.*");
  return {
    body: mediaSql(media, sql`${relation(media.by.schema, media.by.name)}(${rows})`),
    from: sql`(${page}) page`,
  };
}

/** A value as the text that the statement answers with: bytes as base64. */
export const mediaSql = ({ isBinary }: Media, value: Sql): Sql =>
  sql`coalesce(${isBinary ? sql`encode((${value})::bytea, 'base64')` : sql`(${value})::text`}, '')`;

/** The number of rows to ask for, and whether it is ours rather than the asker's. */
export function cutLimit(
  { limit }: Paging,
  maxRows: number,
): { limit: number | undefined; isCut: boolean } {
  const isCut = maxRows !== Number.POSITIVE_INFINITY && (limit === undefined || limit > maxRows);
  return { limit: isCut ? maxRows : limit, isCut };
}

/** Counting the rows that match: when asked, and when the page is full because of our own limit. */
export function totalSql(
  matching: Sql,
  isCut: boolean,
  {
    count,
    maxRows,
    skipTotal,
    tellsCut,
  }: Omit<ReadOptions, "schema" | "shape" | "maxBytes" | "tellsSettings">,
): Sql {
  const all = sql`select count(*) from (${matching}) matching`;
  if (count === "all" || (count === "some" && maxRows === Number.POSITIVE_INFINITY))
    return sql`(${all})`;
  if (count === "some")
    return sql`(select count(*) from (${matching} limit ${whole(maxRows + 1)}) matching)`;
  if (!isCut || skipTotal || !tellsCut) return raw("null");
  return sql`case when count(*) >= ${whole(maxRows)} then (${all}) end`;
}

/** What the rows of a page are made to, one by one: `made.row`. Not made where it is asked, which would be several times. */
function pageSql(page: Sql, shape: ReadOptions["shape"], made: Made | undefined): Sql {
  const json = shape.stripped
    ? raw("json_strip_nulls(row_to_json(page.*))")
    : raw("row_to_json(page.*)");
  // A row of PostgreSQL's text form is one of CSV within brackets.
  const row =
    shape.kind === "csv"
      ? raw("substring((page.*)::text, 2, length((page.*)::text) - 2)")
      : sql`${json}::text`;
  const each = sql`(select ${row} as row from (${page}) page offset 0) made`;
  return made ? sql`(select ${counted("made.row", made)} as row from ${each}) made` : each;
}

/** The text of the answer, of rows that were made. */
function bodySql(shape: ReadOptions["shape"], keys: readonly string[]): Sql {
  // Without rows there is no head either.
  if (shape.kind === "csv")
    return sql`concat(case when count(*) > 0 then ${keys.join(",")}::text end, ${"\n"}::text, string_agg(made.row, ${"\n"}::text))`;
  // Of several rows it is not sent.
  if (shape.kind === "object") return raw("coalesce(string_agg(made.row, ','), 'null')");
  // As PostgreSQL parts the items of a list itself.
  const between = shape.stripped ? raw("','") : raw("E', \\n '");
  return sql`concat('[', string_agg(made.row, ${between}), ']')`;
}

/** How much may be answered, and what is told beside it. */
type Told = Pick<ReadOptions, "maxBytes" | "tellsSettings" | "bounds"> & { plan?: ReadPlan };

/** Leaves the body out when it is too large to be sent. */
export function answerSql(answer: Sql, { maxBytes, tellsSettings, bounds, plan }: Told): Sql {
  const settings = tellsSettings ? responseSettings : empty;
  return sql`select case when octet_length(body) <= ${whole(maxBytes)} then body end as body, octet_length(body)::text as bytes, rows::text, total::text${settings}${bounds ? cutsSql(plan) : empty} from (${answer}) answer`;
}

/** What SQL code that ran in the statement wants said with the answer. */
const responseSettings = raw(
  ", nullif(current_setting('response.status', true), '') as response_status, nullif(current_setting('response.headers', true), '') as response_headers",
);

/**
 * A number in the text of the statement, for what is alike in most requests: the planner then knows how few rows are
 * wanted, and a prepared statement keeps its plan instead of being planned each time.
 */
const whole = (count: number): Sql => raw(String(Math.trunc(count)));

/** The rows that match, whatever page of them is asked for. */
export const countSql = (plan: ReadPlan, options: Pick<ReadOptions, "schema" | "from">): Sql =>
  sql`select 1 from ${fromSql(plan, options)}${matchingSql(plan, options, "subquery")}`;

const fromSql = (plan: ReadPlan, options: Pick<ReadOptions, "schema" | "from">): Sql =>
  sql`${options.from ?? relation(options.schema, plan.table)} as ${raw(plan.alias)}`;

interface RowsOptions extends Pick<ReadOptions, "schema" | "from"> {
  made?: Made;
  /** There is one row at most, by the key that leads to it. */
  isOne?: boolean;
}

/** The rows of a plan with their embeds. */
export function rowsSql(plan: ReadPlan, options: RowsOptions, link: Sql[] = []): Sql {
  const { made, isOne } = options;
  const most = isOne ? 1 : (plan.paging.limit ?? Number.POSITIVE_INFINITY);
  const inner = made && { ...made, times: made.times * most };
  const joins = plan.embeds.map((embed) => joinSql(plan.alias, embed, options.schema, inner));
  return sql`select ${outputSql(plan)} from ${fromSql(plan, options)}${join([empty, ...joins], "")}${matchingSql(plan, options, "join", link)}${groupSql(plan)}${orderSql(plan, options.schema)}${pagingSql(plan.paging)}`;
}

const isGrouped = (plan: ReadPlan) => plan.output.some(({ aggregate }) => aggregate);

const shownEmbeds = ({ embeds }: ReadPlan) =>
  embeds.filter(({ shown, spread }) => shown && !spread);

function outputSql(plan: ReadPlan): Sql {
  const output = [
    ...plan.output.map((one) => sql`${aggregateSql(plan, one)} as ${name(one.name)}`),
    ...shownEmbeds(plan).map((embed) => sql`${embedSql(plan, embed)} as ${name(embed.name)}`),
  ];
  return output.length === 0 ? empty : join(output, ", ");
}

function aggregateSql(plan: ReadPlan, one: PlannedOutput): Sql {
  const { aggregate } = one;
  if (!aggregate) return valueSql(plan, one);
  const made = sql`${raw(aggregate.name)}(${one.field ? valueSql(plan, one) : raw("*")})`;
  return aggregate.cast ? sql`cast(${made} as ${raw(aggregate.cast)})` : made;
}

function valueSql(plan: ReadPlan, { field, cast, aggregate }: PlannedOutput): Sql {
  if (!field) throw new Error("data API: only counting goes without a column.");
  const plain = "embed" in field ? spreadSql(field.embed, field.key) : fieldSql(plan.alias, field);
  const isPlain = "embed" in field || field.column.secret || field.path.length > 0 || aggregate;
  const represented = isPlain ? null : field.column.toJson;
  const value = represented === null ? plain : sql`${raw(represented)}(${plain})`;
  return cast ? sql`cast(${value} as ${raw(cast)})` : value;
}

const spreadSql = (embed: PlannedEmbed, key: string): Sql =>
  embed.many ? sql`coalesce(${column(embed.alias, key)}, '[]')` : column(embed.alias, key);

function embedSql(plan: ReadPlan, embed: PlannedEmbed): Sql {
  const alias = raw(embed.alias);
  const value = embed.many ? sql`coalesce(${alias}.list, '[]')` : sql`row_to_json(${alias}.*)`;
  // Rows are put in groups by it, and only the binary form can be compared.
  return isGrouped(plan) ? sql`(${value})::jsonb` : value;
}

/** With an aggregate among the output, all the rest of it, by its place, tells the groups apart. */
function groupSql(plan: ReadPlan): Sql {
  if (!isGrouped(plan)) return empty;
  const isKey = [
    ...plan.output.map(({ aggregate }) => !aggregate),
    ...shownEmbeds(plan).map(() => true),
  ];
  const places = isKey.flatMap((key, index) => (key ? [index + 1] : []));
  return places.length === 0 ? empty : raw(` group by ${places.join(", ")}`);
}

/** The keys of an answer's rows, in their order. */
export const outputKeys = (plan: ReadPlan): string[] => [
  ...plan.output.map(({ name: key }) => key),
  ...shownEmbeds(plan).map((embed) => embed.name),
];

function joinSql(parent: string, embed: PlannedEmbed, schema: string, made?: Made): Sql {
  const alias = raw(embed.alias);
  const rows = embedRowsSql(parent, embed, schema, made);
  const kind = raw(embed.inner ? " inner join lateral " : " left join lateral ");
  if (!embed.many) return sql`${kind}(${rows}) as ${alias} on true`;
  const listOf = (items: string) => {
    const list = `json_agg(${items})`;
    return made ? countedList(list, embed, made) : raw(list);
  };
  const lists = embed.spread
    ? outputKeys(embed.read).map((key) => sql`${listOf(column("item", key).sql)} as ${name(key)}`)
    : [];
  // The list of whole rows tells whether there are any; what is shown of it is counted.
  const whole = lists.length > 0 ? raw("json_agg(item.*)") : listOf("item.*");
  const list = join([sql`${whole} as list`, ...lists], ", ");
  const condition = embed.inner ? sql`${alias}.list is not null` : raw("true");
  return sql`${kind}(select ${list} from (${rows}) item) as ${alias} on ${condition}`;
}

function embedRowsSql(parent: string, embed: PlannedEmbed, schema: string, made?: Made): Sql {
  const { read, junction } = embed;
  const isOne = !embed.many;
  const paging: Paging = embed.unsure
    ? { ...read.paging, limit: 1 }
    : embed.many && made
      ? { ...read.paging, limit: listLimit(read.paging.limit, made.bounds) }
      : read.paging;
  if (embed.computedBy) {
    const { schema: of, name: called } = embed.computedBy;
    const from = sql`${relation(of, called)}(${embed.parentRow ?? raw(parent)})`;
    return rowsSql({ ...read, paging }, { schema, from, made, isOne });
  }
  if (!junction)
    return rowsSql(
      { ...read, paging },
      { schema, made, isOne },
      pairSql(parent, read.alias, embed.pairs),
    );
  const between = `${embed.alias}j`;
  const link = [
    ...junction.near.map(([near, far]) => sql`${column(between, near)} = ${column(parent, far)}`),
    ...junction.far.map(
      ([near, far]) => sql`${column(between, near)} = ${column(read.alias, far)}`,
    ),
    ...conditionsSql(between, junction.where, noEmbeds),
  ];
  const from = sql`${relation(schema, junction.table)} as ${raw(between)}, ${relation(schema, read.table)}`;
  return rowsSql({ ...read, paging }, { schema, from, made, isOne }, link);
}

const noEmbeds = () => {
  throw new Error("data API: a join table has no embeds to ask.");
};

const pairSql = (parent: string, child: string, pairs: readonly ColumnPair[]): Sql[] =>
  pairs.map(([near, far]) => sql`${column(child, far)} = ${column(parent, near)}`);

/**
 * The conditions of a plan. With `join` the embeds are joined and can be asked; with `subquery` (for counting) what
 * depends on an embed is asked by itself.
 */
function matchingSql(
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
  const conditions = conditionsSql(plan.alias, plan.where, ask === "join" ? joined : exists);
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

export function orderTermSql(alias: string, term: PlannedOrder, schema: string): Sql {
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
