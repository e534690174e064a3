import { empty, raw, type Sql } from "sql-template-tag";
import type { PlannedEmbed, ReadPlan } from "../plan/plan.ts";
import { fanOutOf } from "../plan/refuse-fan-out.ts";
import type { PgError } from "../sql-state.ts";

/**
 * Bounds that act while PostgreSQL makes the answer, not when it is made. They are settings of the transaction, because
 * nothing else of PostgreSQL's counts from row to row without a function or table of ours.
 */
export interface Bounds {
  /** Rows of one embedded list. */
  listRows: number;
  /** Bytes of the whole answer. */
  maxBytes: number;
}

/** What is made, and at most how often in one statement. */
export interface Made {
  bounds: Bounds;
  /** Bytes that may be counted: what stands in lists is counted once for each level. */
  mostBytes: number;
  times: number;
}

/** The rows of an answer themselves. */
export const madeOf = (plan: ReadPlan | undefined, bounds: Bounds): Made => ({
  bounds,
  mostBytes: bounds.maxBytes * (1 + (plan ? fanOutOf(plan).lists : 0)),
  times: 1,
});

/** A setting that is not there: reading it ends the statement, with an error that names it. */
const beyondBytes = "data_api.answer_is_too_long";

/** Whether a statement was ended because its answer would be too long. */
export const isBeyondBytes = ({ code, message }: PgError): boolean =>
  code === "42704" && message.includes(beyondBytes);

const keptBytes = "data_api.kept_bytes";

/**
 * The value, a text of SQL without parameters, counted among what the statement has made. What is shorter than its share is let through uncounted: all of
 * those together are no longer than a quarter of an answer, and counting costs more than making a short text.
 */
export const counted = (value: string, made: Made): Sql =>
  raw(`case when ${isShort(value, made)} or ${isWithin(value, made)} then ${value} end`);

const isShort = (value: string, { bounds, times }: Made): string =>
  `${size(value)} <= ${Math.floor(bounds.maxBytes / (4 * Math.max(times, 1)))}`;

/** Counts it. True, or the end of the statement. */
const isWithin = (value: string, { mostBytes }: Made): string =>
  `(set_config('${keptBytes}', (coalesce(nullif(current_setting('${keptBytes}', true), ''), '0')::bigint + ${size(value)})::text, true)::bigint <= ${mostBytes} or current_setting('${beyondBytes}') <> '')`;

const size = (value: string): string => `coalesce(pg_column_size(${value}), 0)`;

/** The rows of a list that are asked for: one more than are shown, to know whether there are more. */
export const listLimit = (limit: number | undefined, { listRows }: Bounds): number =>
  Math.min(limit ?? listRows + 1, listRows + 1);

const cutSetting = (alias: string) => `data_api.cut_${alias}`;

/** A counted list. Where it was made of one row too many it is cut, which is noted under the alias of its embed. */
export function countedList(list: string, embed: PlannedEmbed, made: Made): Sql {
  const { listRows } = made.bounds;
  const { limit } = embed.read.paging;
  if (limit !== undefined && limit <= listRows) return counted(list, made);
  const first = `select json_agg(one) from (select one from json_array_elements(${list}) as all_of (one) limit ${listRows}) as some_of`;
  return raw(
    `case when count(*) <= ${listRows} and (${isShort(list, made)} or ${isWithin(list, made)}) then ${list} when ${isWithin(list, made)} and set_config('${cutSetting(embed.alias)}', '1', true) = '1' then (${first}) end`,
  );
}

/** The aliases of the embeds of which a list was cut. */
export function cutsSql(plan: ReadPlan | undefined): Sql {
  const aliases = plan ? listsOf(plan).map(([alias]) => alias) : [];
  if (aliases.length === 0) return empty;
  const told = aliases.map(
    (alias) => `case when current_setting('${cutSetting(alias)}', true) = '1' then '${alias}' end`,
  );
  return raw(`, nullif(concat_ws(',', ${told.join(", ")}), '') as cuts`);
}

/** What the embeds behind such aliases are called in the answer. */
export function namesOfCuts(plan: ReadPlan, cuts: string): string[] {
  const names = new Map(listsOf(plan));
  return cuts.split(",").map((alias) => names.get(alias) ?? alias);
}

function listsOf({ embeds }: ReadPlan, within = ""): (readonly [alias: string, name: string])[] {
  return embeds.flatMap((embed) => {
    const name = `${within}${nameOf(embed)}`;
    const inner = listsOf(embed.read, `${name}.`);
    return embed.many ? [[embed.alias, name] as const, ...inner] : inner;
  });
}

const nameOf = ({ name }: PlannedEmbed) => encodeURIComponent(name.toWellFormed());
