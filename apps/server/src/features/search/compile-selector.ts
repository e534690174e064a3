import {
  type LabelRequirement,
  type MatchList,
  parseLabelSelector,
  parseMatchList,
  parseSearch,
  type Pattern,
  type ResourceSelector,
  SelectorError,
} from "@mainstay/contract";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { type Issue, invalid, unsupported } from "#platform/errors.ts";
import {
  columnOf,
  compare,
  fieldOf,
  findField,
  hasProperty,
  isId,
  ofAgent,
  orUnknown,
} from "./compare-field.ts";
import {
  compileNode,
  compileParts,
  type PlacesOfParts,
  compileSearch,
  type CompiledSearch,
  type SearchContext,
  type SearchParts,
} from "./compile-search.ts";
import { all, any, inMatchList, like, lowered, named } from "./conditions.ts";
import { lookingUp, type Searchable } from "./searchable.ts";

/** Names and values that all selectors of a kind may look for together: each costs in making the statement and planning it. */
const mostValues = 2_000;
/**
 * Characters of all patterns with wildcards: PostgreSQL compares each of them with each place of a text, and is not
 * stopped in the middle of it.
 */
const mostPattern = 4_096;

/** One query over the table of a kind. Its order may be empty; `all` when it has neither limit nor offset. */
interface Query {
  where: Sql;
  order: readonly Sql[];
  limit: number | undefined;
  offset: number | undefined;
}

export interface CompileOptions {
  /** What `now` means in dates. */
  now: Date;
  /** Where the selectors stand in what was sent, to say where something is wrong in them. */
  path?: string;
  /** Where words of their searches are looked for; what documents say is the beginning of a name. */
  words?: SearchContext["words"] | undefined;
  /** Where what is to be looked up before the statement is put; without it the statement looks it up itself. */
  lookUps?: LookUp[];
}

/**
 * The condition on rows of a kind's table (under its own name) that any of the selectors selects them. A selector that gives nothing selects nothing. Throws what is wrong with them, and where.
 */
export function selectorCondition(
  kind: Searchable,
  selectors: readonly ResourceSelector[],
  options: CompileOptions,
): Sql {
  return conditionOf(kind, queriesOf(kind, selectors, options));
}

/** The same as a select of `columns`, in the order that the first selector asks for, else by name. */
export function selectResources(
  kind: Searchable,
  selectors: readonly ResourceSelector[],
  { columns, limit, ...options }: CompileOptions & { columns: Sql; limit: number },
): Sql | undefined {
  const queries = queriesOf(kind, selectors, options);
  const [first] = queries;
  if (!first) return undefined;
  // One query is asked as it is; of several each has its own share, and all together the caller's limit.
  const single = queries.length === 1 ? first : undefined;
  return sql`select ${columns} from ${named(kind.table)}
    where ${single ? single.where : conditionOf(kind, queries)}
    order by ${orderOf(kind, first)}
    limit ${Math.min(limit, single?.limit ?? limit)} offset ${single?.offset ?? 0}`;
}

function conditionOf(kind: Searchable, queries: readonly Query[]): Sql {
  const isCut = queries.some(({ limit, offset }) => limit !== undefined || offset !== undefined);
  if (!isCut) return any(queries.map(({ where }) => where));
  const id = named(kind.table, "id");
  const parts = queries.map(
    (query) => sql`(select ${id} from ${named(kind.table)} where ${query.where}
      order by ${orderOf(kind, query)} limit ${query.limit ?? null}::bigint offset ${query.offset ?? 0})`,
  );
  return sql`${id} in (${join(parts, " union ")})`;
}

/** The id last, so that equals stay in one order from page to page. */
const orderOf = (kind: Searchable, { order }: Query): Sql =>
  join([...(order.length > 0 ? order : [lowered(raw(kind.name))]), named(kind.table, "id")]);

function queriesOf(
  kind: Searchable,
  selectors: readonly ResourceSelector[],
  { now, path, words = "name", lookUps }: CompileOptions,
): Query[] {
  const spend = createSpending();
  return selectors.flatMap((selector, index) => {
    const place = `${path ?? kind.as}.${index}`;
    const own: LookUp[] = [];
    const searched = lookUps ? lookingUp(kind, own) : kind;
    const queries = new SelectorCompiler(searched, selector, { now, place, words }).queries();
    spend(place, [
      ...queries.flatMap(({ where, order }) => [where, ...order]),
      ...own.map(({ values }) => values),
    ]);
    lookUps?.push(...own);
    return queries;
  });
}

/** Counts what statements look for, and refuses what is too much. */
function createSpending(): (place: string, looked: readonly Sql[]) => void {
  let values = 0;
  let patterns = 0;
  return (place, looked) => {
    values += looked.reduce((sum, part) => sum + part.values.length, 0);
    patterns += looked.flatMap((part) => part.values).reduce<number>(addPattern, 0);
    const beyond =
      values > mostValues
        ? `${mostValues} names and values`
        : patterns > mostPattern
          ? `${mostPattern} characters with wildcards`
          : undefined;
    if (beyond === undefined) return;
    const message = `What stands up to here looks for more than ${beyond}.`;
    throw invalid(`${place}: ${message}`, [{ path: place, message }]);
  };
}

/**
 * The condition that a search says that somebody typed above a list; nothing where it says nothing. The list itself says
 * in which order, how many, whose and whether deleted ones, too.
 */
export const searchCondition = (
  kind: Searchable,
  text: string,
  { now, path = "search", lookUps }: { now: Date; path?: string; lookUps?: LookUp[] },
): Sql | undefined =>
  typed(text, path, () => {
    const searched = lookUps ? lookingUp(kind, lookUps) : kind;
    const searches = compileSearch(text, { kind: searched, now, words: "text" });
    refusePaged(searches);
    const conditions = searches.flatMap(({ where }) => where ?? []);
    return {
      found: conditions.length === 0 ? undefined : any(conditions),
      spent: [...conditions, ...(lookUps ?? []).map(({ values }) => values)],
    };
  });

interface PartsOptions extends PlacesOfParts {
  now: Date;
  path?: string;
}

/** The same in conditions that must all hold, by what has to be looked at for them, and what has to be looked up before. */
export const searchParts = (
  kind: Searchable,
  text: string,
  { now, path = "search", ...places }: PartsOptions,
): SearchParts & { lookUps: readonly LookUp[] } =>
  typed(text, path, () => {
    const searches = parseSearch(text);
    refusePaged(searches);
    const lookUps: LookUp[] = [];
    const context: SearchContext = { kind: lookingUp(kind, lookUps), now, words: "text" };
    const about = lookingUp(places.about, lookUps);
    const tags = lookingUp(places.tags, lookUps);
    const wheres = searches.flatMap(({ where }) => where ?? []);
    const [first] = wheres;
    const found =
      first && searches.length === 1
        ? compileParts(first, context, { ...places, about, tags })
        : {
            ofCounted: [],
            ofRows: first ? [any(wheres.map((where) => compileNode(where, context)))] : [],
            without: [],
            ofAbout: [],
            ofTags: [],
          };
    return {
      found: { ...found, lookUps },
      spent: [...Object.values(found).flat(), ...lookUps.map(({ values }) => values)],
    };
  });

function typed<Found>(
  text: string,
  path: string,
  compile: () => { found: Found; spent: readonly Sql[] },
): Found {
  try {
    const { found, spent } = compile();
    createSpending()(path, spent);
    return found;
  } catch (error) {
    if (error instanceof SelectorError) throw located(error, path, text);
    throw error;
  }
}

function refusePaged(searches: readonly Pick<CompiledSearch, "limit" | "offset" | "at">[]): void {
  const paged = searches.find(({ at }) => at !== undefined);
  if (paged)
    throw new SelectorError(
      "the list itself says in which order and how many; leave @order, limit and offset out",
      paged.at!,
    );
}

/** A value that `like` reads as a pattern holds wildcards that are not escaped. */
const addPattern = (sum: number, value: unknown): number =>
  typeof value === "string" && /(?<!\\)(?:\\\\)*%/.test(value) ? sum + value.length : sum;

class SelectorCompiler {
  readonly #kind: Searchable;
  readonly #selector: ResourceSelector;
  readonly #now: Date;
  readonly #place: string;
  readonly #words: SearchContext["words"];

  constructor(
    kind: Searchable,
    selector: ResourceSelector,
    { now, place, words }: { now: Date; place: string; words: SearchContext["words"] },
  ) {
    this.#kind = kind;
    this.#selector = selector;
    this.#now = now;
    this.#place = place;
    this.#words = words;
  }

  queries(): Query[] {
    const { limit, agent } = this.#selector;
    const given = this.#given();
    const searches = this.#at("search", (text) =>
      compileSearch(text, { kind: this.#kind, now: this.#now, words: this.#words }),
    );
    const says = given.length > 0 || Boolean(agent?.trim());
    const found: readonly CompiledSearch[] = searches?.length
      ? searches
      : [{ where: undefined, order: [], limit: undefined, offset: undefined, mentions: new Set() }];
    return found.flatMap((search) => {
      // Nothing was said of what is meant: how many and in which order is not enough.
      if (!says && search.where === undefined) return [];
      return {
        where: all([
          ...this.#standing(search.mentions),
          ...given,
          ...(search.where ? [search.where] : []),
        ]),
        order: search.order,
        limit: smaller(limit || undefined, search.limit),
        offset: search.offset,
      };
    });
  }

  /** What holds without being said: this server's own rows, unless an id names one, and none that were deleted. */
  #standing(mentions: CompiledSearch["mentions"]): Sql[] {
    const { agent, includeDeleted, id } = this.#selector;
    const { table, fields } = this.#kind;
    const name = agent?.trim() ?? "";
    const isAnyones = name === "" && (Boolean(id?.trim()) || mentions.has("agent"));
    return [
      ...(!("agent_id" in fields) || isAnyones || name.toLowerCase() === "all"
        ? []
        : [ofAgent(named(table, "agent_id"), [name], this.#kind.lookUps)]),
      ...(!("deleted_at" in fields) || includeDeleted || mentions.has("deleted")
        ? []
        : [sql`${named(table, "deleted_at")} is null`]),
    ];
  }

  #given(): Sql[] {
    const { table } = this.#kind;
    const name = sql`(${raw(this.#kind.name)})`;
    const column = (field: string) => columnOf(this.#kind, field);
    const state = (wanted: "status" | "health") => {
      const field = fieldOf(this.#kind, wanted);
      if (!field) return undefined;
      return field.type === "health" ? orUnknown(column(field.column)) : column(field.column);
    };
    const namespace = findField(this.#kind, "namespace") as { text: Sql };
    const conditions = [
      this.#at("id", (value) => this.#ids(value)),
      this.#at("scope", (value) => this.#scope(value)),
      this.#at("name", (value) => matchList(name, parseMatchList(value))),
      this.#at("namespace", (value) => matchList(namespace.text, parseMatchList(value))),
      this.#list("types", fieldOf(this.#kind, "type") && column("type")),
      this.#list("statuses", state("status")),
      this.#list("health", state("health")),
      this.#at("labelSelector", (value) => {
        if (!this.#kind.maps.includes("labels"))
          throw new SelectorError(`${table} have no labels`, 0);
        return this.#requirements("labels", value);
      }),
      this.#at("tagSelector", (value) => {
        if (!this.#kind.maps.includes("tags")) throw new SelectorError(`${table} have no tags`, 0);
        return this.#requirements("tags", value);
      }),
      this.#at("fieldSelector", (value) => this.#fields(value)),
    ];
    return conditions.filter((condition) => condition !== undefined);
  }

  #ids(value: string): Sql {
    const ids = value.split(",").map((id) => id.trim());
    const wrong = ids.find((id) => !isId(id));
    if (wrong !== undefined)
      throw new SelectorError(`"${wrong}" is not an id`, value.indexOf(wrong));
    return sql`${named(this.#kind.table, "id")} = any (${ids}::uuid[])`;
  }

  #scope(value: string): Sql {
    const { scope, table } = this.#kind;
    if (!scope)
      throw new SelectorError(`${this.#kind.as} belong to nothing that could be named`, 0);
    const column = named(table, scope.column);
    if (isId(value)) return sql`${column} = ${value}::uuid`;
    const [namespace, name, ...rest] = value.split("/");
    if (!namespace || !name || rest.length > 0)
      throw new SelectorError(`expected the id of a ${scope.called}, or its namespace/name`, 0);
    if (scope.table === undefined)
      throw unsupported(
        `${this.#place}.scope: a ${scope.called} is found by its id only; by namespace/name is not supported yet.`,
      );
    const owner = named(scope.table);
    return sql`${column} in (
      select ${owner}.id from ${owner}
       where ${owner}.deleted_at is null and ${owner}.namespace = ${namespace} and ${owner}.name = ${name})`;
  }

  #list(key: "types" | "statuses" | "health", text: Sql | undefined): Sql | undefined {
    const value = this.#selector[key];
    if (value === undefined || value === null) return undefined;
    if (!text) {
      const message = `${this.#kind.as} have no ${key}.`;
      throw invalid(`${this.#place}.${key}: ${message}`, [
        { path: `${this.#place}.${key}`, message },
      ]);
    }
    return matchList(text, parseMatchList(value));
  }

  #requirements(map: "labels" | "tags", value: string): Sql | undefined {
    const requirements = parseLabelSelector(value);
    return requirements.length === 0
      ? undefined
      : all(
          requirements.map((one) =>
            onLabel(named(this.#kind.table, map), one, this.#kind.indexed[map] !== undefined),
          ),
        );
  }

  #fields(value: string): Sql | undefined {
    const { hasFieldSelector, table } = this.#kind;
    if (!hasFieldSelector) throw new SelectorError(`field selectors do not apply to ${table}`, 0);
    const requirements = parseLabelSelector(value);
    return requirements.length === 0
      ? undefined
      : all(requirements.map((one) => this.#onField(one)));
  }

  /** A search says the same; only that a field selector has no wildcards. */
  #onField(requirement: LabelRequirement): Sql {
    const { key: field, at } = requirement;
    if ("values" in requirement) {
      const values = requirement.values.map((text) => ({
        pattern: [text] as Pattern,
        isExcluded: false,
        at,
      }));
      const operator = requirement.op === "in" ? "=" : "!=";
      // Columns and properties alone: what we have added to searches is not in it.
      const columns = { ...this.#kind, own: {} };
      return compare(columns, { kind: "compare", field, operator, values, at }, this.#now);
    }
    const target = findField(this.#kind, field);
    if (!target) throw new SelectorError(`there is no field ${field}`, at);
    const has =
      "property" in target
        ? hasProperty(this.#kind, target.property)
        : sql`${target.text} is not null`;
    return requirement.op === "exists" ? has : sql`not (${has})`;
  }

  /** What a text of the selector compiles to; what is wrong in it is told with its place. */
  #at<Value>(
    key:
      | "id"
      | "scope"
      | "name"
      | "namespace"
      | "labelSelector"
      | "tagSelector"
      | "fieldSelector"
      | "search",
    compile: (value: string) => Value,
  ): Value | undefined {
    const value = this.#selector[key];
    if (!value || value.trim() === "") return undefined;
    try {
      return compile(key === "search" || key.endsWith("Selector") ? value : value.trim());
    } catch (error) {
      if (error instanceof SelectorError) throw located(error, `${this.#place}.${key}`, value);
      throw error;
    }
  }
}

const matchList = (text: Sql, list: MatchList): Sql | undefined =>
  list.include.length + list.exclude.length === 0
    ? undefined
    : inMatchList((pattern) => like(text, pattern), list);

/** Labels are compared as Kubernetes does: exactly; in words that the index of a map knows, where it has one. */
export function onLabel(map: Sql, requirement: LabelRequirement, isIndexed = false): Sql {
  const { key } = requirement;
  const value = sql`${map} ->> ${key}::text`;
  switch (requirement.op) {
    case "exists":
      return sql`coalesce(${map} ? ${key}::text, false)`;
    case "missing":
      return sql`not coalesce(${map} ? ${key}::text, false)`;
    case "in":
      return isIndexed
        ? sql`${map} @> any (${requirement.values.map((one) => JSON.stringify({ [key]: one }))}::jsonb[])`
        : sql`${value} = any (${[...requirement.values]}::text[])`;
    case "notIn":
      return sql`(${value} = any (${[...requirement.values]}::text[])) is not true`;
  }
}

const smaller = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/** Says where in `path`, whose text that is, something is wrong. */
export function located(error: SelectorError, path: string, text: string): Error {
  const before = text.slice(0, error.at).split("\n");
  const issue: Issue = {
    path,
    message: error.message,
    line: before.length,
    column: before.at(-1)!.length + 1,
  };
  const place =
    before.length > 1
      ? `line ${issue.line}, character ${issue.column}`
      : `character ${issue.column}`;
  return invalid(`${path}, ${place}: ${error.message}.`, [issue]);
}
