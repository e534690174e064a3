import {
  changeDirections,
  changeOrders,
  type FoundChange,
  type FoundChanges,
  filterText,
  searchLimits,
  searchText,
} from "@mainstay/contract";
import sql, { raw, type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import { type Counted, countInTime } from "#platform/db/count-in-time.ts";
import type { Queryable } from "#platform/db/database.ts";
import { hasTakenTooLong } from "#platform/db/took-too-long.ts";
import { askShared } from "#platform/http/shares.ts";
import { filterOfTexts, longestMs } from "../reading.ts";
import { type ChangeConditions, conditionsOf, countInRange, rangeOf } from "./conditions-of.ts";
import { countByHour } from "./count-by-hour.ts";

const usualRows = 50;
export const usualDepth = 5;
const mostDepth = 64;

/** In an address a number and a claim are texts. */
export const whole = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);
const claim = z.union([z.boolean(), z.stringbool()]);
const order = z.enum(changeOrders.flatMap((column) => [column, `-${column}` as const]));

/** The body or the query of `/api/catalog/changes`. */
export const ChangeSearch = z.object({
  /** One item, with those that it is related to; or a filter of items. */
  id: filterText.nullish(),
  config_type: filterOfTexts.nullish(),
  /** Of changes. */
  type: filterOfTexts.nullish(),
  /** At least so severe; with `!` before it exactly not so. */
  severity: z.string().max(64).nullish(),
  summary: filterOfTexts.nullish(),
  source: filterOfTexts.nullish(),
  /** What somebody typed, in the language of docs/search.md. */
  search: searchText.nullish(),
  /** A filter of people, by their ids, and of authors elsewhere. */
  created_by: filterOfTexts.nullish(),
  /** A label selector. */
  tags: searchText.nullish(),
  agent_id: z.string().max(64).nullish(),
  from: z.string().max(128).nullish(),
  to: z.string().max(128).nullish(),
  recursive: z.enum(changeDirections).nullish(),
  depth: whole.pipe(z.number().int().min(0).max(mostDepth)).nullish(),
  include_deleted_configs: claim.nullish(),
  page: whole.pipe(z.number().int().min(1).max(searchLimits.offset)).nullish(),
  page_size: whole.pipe(z.number().int().min(1).max(searchLimits.rows)).nullish(),
  sort_by: z.union([z.literal(""), order]).nullish(),
  /**
   * How many there are on all pages: of a common word each is looked at for that, and the page is there long before. So it is
   * left out where false, and at least so many where nothing is said and they are not counted at once.
   */
  total: claim.nullish(),
});
export type ChangeSearch = z.infer<typeof ChangeSearch>;

/** An answer that says how many there are takes so long, or twice as long as its page on a machine that is slow or busy. */
const quickMs = 100;
/** So long at least it is tried to count them all, however long their page took. */
const leastMs = 1_000;

export interface CountTimes {
  /** To count when the page took so long; all are wanted if it is `isSure`. */
  countMs(pageMs: number, isSure: boolean): number;
  /** Of a range with so few changes all are counted: that takes no longer, but for what else the machine does. */
  few: number;
}
const usualTimes: CountTimes = {
  countMs: (pageMs, isSure) =>
    isSure ? Math.max(longestMs - pageMs, leastMs) : Math.max(quickMs - pageMs, pageMs),
  few: 50_000,
};

type Ask = <T>(limitMs: number, work: (tx: Queryable) => Promise<T>) => Promise<T>;

/**
 * The changes that are looked for, a page of them, and how many there are on all pages unless nobody wants to know: at least
 * so many, where counting all would take too long.
 */
export async function searchChanges(
  ctx: Ctx,
  search: ChangeSearch,
  spent: (ms: number) => void,
  times = usualTimes,
): Promise<FoundChanges> {
  const now = ctx.clock.now();
  const compile = conditionsOf({ ...search, depth: search.depth ?? usualDepth }, now);
  const ask: Ask = (limitMs, work) =>
    askShared({
      db: ctx.db,
      spent,
      longestMs: limitMs,
      // Ids of items are kept in memory while changes are counted.
      settings: { work_mem: "32MB" },
      ask: work,
    });
  const size = search.page_size ?? usualRows;
  const offset = ((search.page ?? 1) - 1) * size;
  const begun = performance.now();
  const { found, conditions } = await ask(longestMs, async (tx) => {
    const compiled = await compile(tx);
    // One more than are shown tells whether there is another page.
    const statement = rowsOf(search, compiled, { limit: size + 1, offset });
    const row = await tx.first<{ changes: FoundChange[] }>(statement);
    return { found: row?.changes ?? [], conditions: compiled };
  });
  const changes = found.slice(0, size);
  const summary: Record<string, number> = {};
  for (const { change_type: type } of changes) summary[type ?? ""] = (summary[type ?? ""] ?? 0) + 1;
  const isEmpty = changes.length === 0;
  if (isEmpty && (offset === 0 || search.total === false)) return {};
  if (search.total === false) return { summary, changes };
  if (!isEmpty && found.length <= size) return { summary, total: offset + changes.length, changes };
  const pageMs = performance.now() - begun;
  // Counts of hours take no time.
  const isByHours = conditions.counted !== undefined && !conditions.counted.without;
  const isSure =
    search.total === true ||
    isEmpty ||
    isByHours ||
    (await ask(longestMs, (tx) => countInRange(tx, rangeOf(search, now)))) <= times.few;
  const { n, isLeast } = await countAll(ask, conditions, {
    isSure,
    mostMs: times.countMs(pageMs, isSure),
  });
  if (!isLeast) return n > 0 ? { summary, total: n, changes } : {};
  const seen = isEmpty ? 0 : offset + found.length;
  return { summary, total: Math.max(n, seen), total_is_least: true, changes };
}

async function countAll(
  ask: Ask,
  conditions: ChangeConditions,
  { isSure, mostMs }: { isSure: boolean; mostMs: number },
): Promise<Counted> {
  const { counted, before } = conditions;
  const byHour = counted && countByHour(counted);
  if (byHour) {
    const statement = sql`${before} select coalesce(sum(n), 0)::float8 as n from (${byHour}) hours`;
    try {
      const sum = await ask(counted.without ? Math.max(mostMs, 1) : longestMs, async (tx) => {
        // The database tells of each process that it ends with a statement as of a fault.
        if (counted.without && !isSure)
          await tx.run(sql`set local max_parallel_workers_per_gather = 0`);
        return tx.first<{ n: number }>(statement);
      });
      return { n: sum?.n ?? 0, isLeast: false };
    } catch (error) {
      // What must not hold may be what most of them are: those that are left are counted then.
      if (!counted.without || !hasTakenTooLong(error)) throw error;
    }
  }
  return countInTime((work) => ask(longestMs, work), rowsToCount(conditions), {
    isSure,
    deadline: performance.now() + (byHour ? mostMs / 2 : mostMs),
  });
}

/** Found by what indexes hold; only the rows that are wanted are read whole. */
function rowsOf(
  search: ChangeSearch,
  { where, before }: ChangeConditions,
  { limit, offset }: { limit: number; offset: number },
): Sql {
  const sortBy = search.sort_by || "-created_at";
  const order = orderOf(sortBy);
  const page = sql`order by ${order} limit ${limit} offset ${offset}`;
  // First which they are, where an index can tell, and then those alone are read. No index of changes knows names of items.
  const ofPage = sortBy.endsWith("name")
    ? sql`${where} ${page}`
    : sql`c.id in (select c.id from config_changes c where ${where} ${page}) order by ${order}`;
  return sql`
    ${before}
    select coalesce(json_agg(page), '[]') as changes from (
      select c.id, c.config_id, i.agent_id, i.name, i.type, i.tags, c.change_type, c.severity, c.source,
             c.summary, c.created_at, c.count, c.first_observed, c.created_by, c.external_created_by,
             c.external_change_id
        from config_changes c join config_items i on i.id = c.config_id
       where ${ofPage}) page`;
}

const rowsToCount = ({ where, before, ofEachItem }: ChangeConditions): Sql =>
  ofEachItem
    ? sql`${before} select from chosen cross join lateral (
            select from config_changes c where c.config_id = chosen.id and ${ofEachItem}) of`
    : sql`${before} select from config_changes c where ${where}`;

const withGaps = ["name", "change_type", "summary", "source"];

/** The id last, so that equals stay in one order from page to page; what is missing comes last either way. */
function orderOf(sortBy: string): Sql {
  const isDown = sortBy.startsWith("-");
  const column = isDown ? sortBy.slice(1) : sortBy;
  const place = column === "name" ? `lower(i.name) collate "C"` : `c.${column}`;
  // An index gives the order only if nothing is said of gaps that it has not.
  const gaps = withGaps.includes(column) ? "nulls last" : "";
  return raw(isDown ? `${place} desc ${gaps}, c.id desc` : `${place}, c.id`);
}
