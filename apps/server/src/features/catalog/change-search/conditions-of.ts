import {
  changeSeverities,
  isExact,
  parseLabelSelector,
  parseMatchList,
  SelectorError,
} from "@mainstay/contract";
import { lookUpAll } from "@mainstay/data-api/look-up.ts";
import { evaluateDateMath } from "@mainstay/data-api/parse/date-math.ts";
import sql, { empty, type Sql } from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { invalid } from "#platform/errors.ts";
import {
  all,
  any,
  inMatchList,
  isId,
  isMade,
  like,
  located,
  not,
  onLabel,
  searchParts,
} from "#features/search/index.ts";
import { hasOneOf, isEmpty, lookUp, matches } from "../reading.ts";
import { itemsOfChanges, searchedChanges, tagsOfChanges } from "../row-searches.ts";
import type { ChangeSearch } from "./search-changes.ts";

const localAgent = "00000000-0000-0000-0000-000000000000";
/** What is looked at when nothing is said of the time: the page's own range. */
const usualFrom = "now-7d";

/** What a search's filters of types mean, among the types that there are. */
interface NamedTypes {
  ofChanges: string[] | undefined;
  ofItems: string[] | undefined;
}

/** So few items, and so few sets of tags, are named one by one. */
const fewItems = 1_000;
/**
 * Looking up the changes of one item costs as much as going through so many changes in the order of time, where items are
 * many and lie far apart.
 */
const changesAnItem = 60;

/** Fields by which changes are counted by the hour, too. */
const countedFields: ReadonlySet<string> = new Set(["change_type", "severity"]);

/** Conditions on rows of `config_changes`, called `c`. */
export interface ChangeConditions {
  where: Sql;
  /** Before the statement: the items that they name, where these are many. They are looked up once for all its parts. */
  before: Sql;
  /**
   * What holds besides, where counting those of each of `chosen` for itself takes less than going through all of the time.
   */
  ofEachItem: Sql | undefined;
  /**
   * Where nothing but the time, the type and the severity is asked for, which `config_change_hours` knows as well, and what
   * must not hold.
   */
  counted: CountedConditions | undefined;
}

interface TimeRange {
  start: Date | undefined;
  end: Date | undefined;
}

export interface CountedConditions extends TimeRange {
  /** On type and severity. */
  where: Sql;
  /** Not those of items that are deleted. */
  isOfAlive: boolean;
  /** Not those for which this holds, which the hours do not know. */
  without: Sql | undefined;
}

/**
 * Which changes are looked for. What is wrong with the search is thrown, with its place, before anything is asked of the
 * database; then what the search's words mean is looked up, so that the statement is planned by how many rows they have.
 */
export function conditionsOf(search: ChangeSearch, now: Date) {
  const { type, config_type: itemType } = search;
  const nothingNamed: NamedTypes = { ofChanges: undefined, ofItems: undefined };
  const typed = searchParts(searchedChanges, search.search ?? "", {
    about: itemsOfChanges,
    tags: tagsOfChanges,
    counted: countedFields,
    now,
  });
  const range = rangeOf(search, now);
  const onRows = [...conditionsOnRows(search), ...typed.ofRows];
  const onTagSets = [...onTags(search.tags ?? ""), ...typed.ofTags];
  conditionsOnCounted(search, nothingNamed);
  conditionsOnItems(search, nothingNamed);
  return async (tx: Queryable): Promise<ChangeConditions> => {
    await lookUpAll(typed.lookUps, (asked) => tx.rows(asked));
    const named: NamedTypes = {
      ofChanges: await lookUp(
        tx,
        { view: sql`change_types`, column: sql`change_types.change_type` },
        type,
      ),
      ofItems: await lookUp(
        tx,
        { view: sql`config_types`, column: sql`config_types.type` },
        itemType,
      ),
    };
    const items = {
      itself: [...conditionsOnItems(search, named), ...typed.ofAbout],
      tags: onTagSets,
    };
    const onCounted = [...conditionsOnCounted(search, named), ...typed.ofCounted];
    const { where, before, isOneByOne } = await onItems(tx, { search, range }, items);
    const onChanges = [...inTime(range), ...onCounted, ...onRows, ...typed.without.map(not)];
    return {
      where: all([...onChanges, ...where]),
      before,
      ofEachItem: isOneByOne ? all(onChanges) : undefined,
      counted:
        onRows.length + items.itself.length + items.tags.length > 0
          ? undefined
          : {
              ...range,
              where: all(onCounted),
              isOfAlive: !search.include_deleted_configs,
              without: typed.without.length > 0 ? any(typed.without) : undefined,
            },
    };
  };
}

interface ItemConditions {
  /** On rows of `config_items`, called `i`. */
  itself: readonly Sql[];
  /** On rows of `config_tag_sets`, called `s`. */
  tags: readonly Sql[];
}

/** Few are deleted: they are looked up once, and not each item. */
const deletedItems = sql`select i.id from config_items i where i.deleted_at is not null`;
export const notOfDeleted = sql`c.config_id not in (${deletedItems})`;

/** The items that conditions mean; those on tags alone without a look at the items themselves. */
async function itemsThat(
  tx: Queryable,
  { itself, tags }: ItemConditions,
  isAlive: boolean,
): Promise<Sql> {
  const tagged =
    tags.length === 0
      ? undefined
      : sql`select t.config_id as id from config_item_tags t where ${await ofSets(tx, tags)}`;
  if (tagged && itself.length === 0)
    return isAlive ? sql`${tagged} and t.config_id not in (${deletedItems})` : tagged;
  return sql`select i.id from config_items i where ${all([
    ...itself,
    ...(tagged ? [sql`i.id in (${tagged})`] : []),
    ...(isAlive ? [sql`i.deleted_at is null`] : []),
  ])}`;
}

/** Few sets are named one by one: what is planned for some sets that are not known yet goes through all items. */
async function ofSets(tx: Queryable, tags: readonly Sql[]): Promise<Sql> {
  const sets = sql`select s.id from config_tag_sets s where ${all(tags)}`;
  const some = await tx.rows<{ id: string }>(sql`${sets} limit ${fewItems + 1}`);
  return some.length <= fewItems
    ? sql`t.tag_set = any (${some.map(({ id }) => id)}::uuid[])`
    : sql`t.tag_set in (${sets})`;
}

/** The conditions on the items of changes. */
async function onItems(
  tx: Queryable,
  { search, range }: { search: ChangeSearch; range: TimeRange },
  items: ItemConditions,
) {
  const isAlive = !search.include_deleted_configs;
  if (items.itself.length + items.tags.length === 0)
    return {
      before: empty,
      where: isAlive ? [notOfDeleted] : [],
      isOneByOne: false,
    };
  const chosen = await itemsThat(tx, items, isAlive);
  const some = await tx.rows<{ id: string }>(sql`${chosen} limit ${fewItems + 1}`);
  if (some.length <= fewItems)
    return {
      before: empty,
      where: [sql`c.config_id = any (${some.map(({ id }) => id)}::uuid[])`],
      isOneByOne: false,
    };
  const isOneByOne = search.total !== false && (await areFewFor(tx, chosen, range));
  // "is true" keeps it from being joined: changes are gone through in their order, and each is looked up in memory.
  if (items.itself.length === 0 && !isOneByOne)
    // What costs so little is looked up for each part of the statement: several processes may then go through the changes.
    return {
      before: empty,
      where: [sql`(c.config_id in (${chosen})) is true`],
      isOneByOne,
    };
  return {
    before: sql`with chosen as materialized (${chosen})`,
    where: [sql`(c.config_id in (select chosen.id from chosen)) is true`],
    isOneByOne,
  };
}

/** Whether going through the changes of each of some items takes less than going through all of a range. */
async function areFewFor(tx: Queryable, chosen: Sql, range: TimeRange): Promise<boolean> {
  const most = Math.floor((await countInRange(tx, range)) / changesAnItem);
  return most > fewItems && (await countRows(tx, sql`${chosen} limit ${most + 1}`)) <= most;
}

async function countRows(tx: Queryable, rows: Sql): Promise<number> {
  const counted = await tx.first<{ n: number }>(
    sql`select count(*)::float8 as n from (${rows}) rows`,
  );
  return counted?.n ?? 0;
}

/** About how many changes there are in a range of time, by its hours. */
export async function countInRange(tx: Queryable, { start, end }: TimeRange): Promise<number> {
  const hours = all([
    ...(start ? [sql`hour >= ${start}`] : []),
    ...(end ? [sql`hour < ${end}`] : []),
  ]);
  const counted = await tx.first<{ n: number }>(
    sql`select coalesce(sum(total), 0)::float8 as n from config_change_hours where ${hours}`,
  );
  return counted?.n ?? 0;
}

function conditionsOnRows(search: ChangeSearch): Sql[] {
  return [
    ofItems(search),
    matches(sql`c.summary`, search.summary),
    matches(sql`c.source`, search.source),
    byAuthor(search.created_by),
  ].filter((condition) => condition !== undefined);
}

function conditionsOnCounted({ type, severity: wanted }: ChangeSearch, named: NamedTypes): Sql[] {
  return [hasOneOf(sql`c.change_type`, named.ofChanges, type), asSevereAs(wanted?.trim())].filter(
    (condition) => condition !== undefined,
  );
}

function conditionsOnItems(
  { config_type: types, agent_id: agent }: ChangeSearch,
  named: NamedTypes,
): Sql[] {
  return [
    hasOneOf(sql`i.type`, named.ofItems, types),
    agent?.trim() ? sql`i.agent_id = ${idOfAgent(agent.trim())}::uuid` : undefined,
  ].filter((condition) => condition !== undefined);
}

function onTags(tags: string): Sql[] {
  try {
    return parseLabelSelector(tags).map((one) => onLabel(sql`s.tags`, one, true));
  } catch (error) {
    if (error instanceof SelectorError) throw located(error, "tags", tags);
    throw error;
  }
}

function idOfAgent(agent: string): string {
  if (agent === "local") return localAgent;
  if (isId(agent)) return agent;
  throw wrong("agent_id", `"${agent}" is neither an id nor local`);
}

/** The moments that a search names; neither of them is the last seven days. */
export function rangeOf({ from, to }: ChangeSearch, now: Date): TimeRange {
  const isOpen = !from?.trim() && !to?.trim();
  const start = dateOf("from", isOpen ? usualFrom : from?.trim(), now);
  const end = dateOf("to", to?.trim(), now);
  if (start && end && end <= start) throw wrong("to", "it is not after from");
  return { start, end };
}

/** From the first moment on, and before the last one. */
function inTime({ start, end }: TimeRange): Sql[] {
  return [
    ...(start ? [sql`c.created_at >= ${start}`] : []),
    ...(end ? [sql`c.created_at < ${end}`] : []),
  ];
}

function dateOf(path: "from" | "to", text: string | undefined, now: Date): Date | undefined {
  if (!text) return undefined;
  // A day that is named as the end is meant as a whole: `now-1d/d` at both ends is yesterday.
  const rounded = path === "to" ? /\/([smhdwMQyY])$/.exec(text) : null;
  const date = evaluateDateMath(rounded ? `${text}+1${rounded[1]}` : text, now);
  if (!date)
    throw wrong(path, `"${text}" is no date; write for example now-7d or 2026-01-31T10:00:00Z`);
  return date;
}

function ofItems({ id, recursive, depth }: ChangeSearch): Sql | undefined {
  const text = id?.trim() ?? "";
  if (isId(text)) {
    const direction = { downstream: "outgoing", upstream: "incoming", all: "all", none: "" };
    const way = recursive ?? "downstream";
    return way === "none"
      ? sql`c.config_id = ${text}::uuid`
      : sql`c.config_id = any (array(
          select ${text}::uuid union
          select r.id from related_config_ids_recursive(${text}::uuid, ${direction[way]}, ${depth ?? 0}) r))`;
  }
  const list = parseMatchList(text);
  if (isEmpty(list)) return undefined;
  const ids = (patterns: typeof list.include) =>
    patterns.map((pattern) => {
      const one = pattern.join("*");
      if (!isId(one)) throw wrong("id", `"${one}" is not an id`);
      return one;
    });
  return all([
    ...(list.include.length > 0 ? [sql`c.config_id = any (${ids(list.include)}::uuid[])`] : []),
    ...(list.exclude.length > 0 ? [sql`c.config_id <> all (${ids(list.exclude)}::uuid[])`] : []),
  ]);
}

/** What says nothing of its severity is for information. */
const severity = sql`lower(coalesce(c.severity, 'info'))`;
/** In the words of the index on those that are more than that. */
const isSevere = sql`${severity} <> 'info'`;

function asSevereAs(wanted: string | undefined): Sql | undefined {
  if (!wanted) return undefined;
  const isExcluded = wanted.startsWith("!");
  const name = (isExcluded ? wanted.slice(1) : wanted).toLowerCase();
  const place = changeSeverities.findIndex((one) => one === name);
  if (place < 0) throw wrong("severity", `"${wanted}" is none of ${changeSeverities.join(", ")}`);
  if (isExcluded) return name === "info" ? isSevere : sql`${severity} <> ${name}`;
  const isWanted = sql`${severity} = any (${changeSeverities.slice(0, place + 1)}::text[])`;
  return name === "info" ? isWanted : all([isSevere, isWanted]);
}

/** People have ids, authors elsewhere names. */
function byAuthor(filter: string | null | undefined): Sql | undefined {
  const list = parseMatchList(filter ?? "");
  if (isEmpty(list)) return undefined;
  const isBy = (pattern: (typeof list.include)[number]) =>
    isExact(pattern) && isId(pattern[0]!)
      ? sql`c.created_by = ${pattern[0]}::uuid`
      : like(sql`c.external_created_by`, pattern);
  const isWanted = inMatchList(isBy, list);
  // What says only who it is not by wants what nobody made, too.
  return list.include.length > 0
    ? all([isMade(["c.external_created_by", "c.created_by"]), isWanted])
    : isWanted;
}

export const wrong = (path: string, message: string) =>
  invalid(`${path}: ${message}.`, [{ path, message }]);
