import type { ResourceSelector } from "@mainstay/contract";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import { lookUpAll } from "@mainstay/data-api/look-up.ts";
import { createHash } from "node:crypto";
import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import { configItem } from "#features/catalog/index.ts";
import { checkResource } from "#features/health/index.ts";
import { searchable, selectorCondition } from "#features/search/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { component } from "../resources.ts";
import { selectorOf } from "../selector-of.ts";

/*
 * What hangs on components because a selector of theirs selects it: other components, items of the catalog, checks. What
 * is no longer selected ends; what people have linked by hand, and what a document names, is not touched.
 */

/** Things that one selector relates to a component at most. */
const mostRelated = 1000;
/** What all of one kind relate in one run: so much is held in memory, and goes to the database in one statement. */
const mostTies = 500_000;
/** Selectors that are asked in one statement, and the values that such a statement has, about: pods have one each. */
const together = { selectors: 50, values: 5000 };
const localAgent = "00000000-0000-0000-0000-000000000000";

interface ComponentRow {
  id: string;
  name: string;
  path: string;
  selectors: unknown;
  configs: unknown;
  component_checks: unknown;
}

/** One selector of one component. */
interface Wanted {
  component: ComponentRow;
  selector: ResourceSelector;
  key: string;
}

type Kind = "selectors" | "configs" | "checks";

const kinds = {
  selectors: searchable(component),
  configs: searchable(configItem),
  checks: searchable(checkResource),
} as const;

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** What a row says, which may be anything: it may have been written as a row. */
const selectorsIn: Record<Kind, (row: ComponentRow) => unknown[]> = {
  selectors: ({ selectors }) => listOf(selectors),
  configs: ({ configs }) => listOf(configs),
  checks: ({ component_checks: checks }) =>
    listOf(checks).flatMap((one) => (isMapping(one) && one.selector ? [one.selector] : [])),
};

const keyOf = (selector: ResourceSelector) =>
  createHash("sha256").update(JSON.stringify(selector)).digest("hex").slice(0, 32);

export interface RelateInput {
  /** All topologies of this server when absent. */
  topologyIds?: readonly string[];
  /** Everything when absent. */
  only?: Kind;
  /** Ties of one kind at most; for tests. */
  most?: number;
}

/** Relates components to what their selectors select. */
export async function relateComponents(
  ctx: Ctx,
  { topologyIds, only, most = mostTies }: RelateInput = {},
): Promise<{ related: number; errors: string[] }> {
  const among = topologyIds ? sql`and c.topology_id = any(${[...topologyIds]}::uuid[])` : empty;
  const rows = await ctx.db.rows<ComponentRow>(sql`
    select c.id, c.name, coalesce(c.path, '') as path, c.selectors, c.configs, c.component_checks from components c
     where c.deleted_at is null and c.agent_id = ${localAgent} ${among}
       and (c.selectors is not null or c.configs is not null or c.component_checks is not null)
     order by c.id`);
  const errors: string[] = [];
  let related = 0;
  for (const kind of only ? [only] : (["selectors", "configs", "checks"] as const)) {
    const found = await select(ctx, { kind, rows, errors, most });
    related += found.length;
    await ctx.db.transaction((tx) => writers[kind](tx, found, among));
  }
  return { related, errors };
}

interface Found {
  component: ComponentRow;
  key: string;
  id: string;
}

async function select(
  ctx: Ctx,
  {
    kind,
    rows,
    errors,
    most,
  }: { kind: Kind; rows: readonly ComponentRow[]; errors: string[]; most: number },
): Promise<Found[]> {
  // Many components select alike; each selector is asked once.
  const wanted = new Map<string, Wanted[]>();
  for (const row of rows)
    for (const query of selectorsIn[kind](row))
      try {
        const selector = selectorOf(query);
        const key = keyOf(selector);
        const same = wanted.get(key);
        if (same) same.push({ component: row, selector, key });
        else wanted.set(key, [{ component: row, selector, key }]);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        errors.push(`${row.name}, ${kind}: ${error.message}`);
      }
  const found: Found[] = [];
  for await (const { key, outcome } of idsOfEach(ctx, kind, wanted)) {
    const same = wanted.get(key)!;
    const [{ component: first }] = same as [Wanted, ...Wanted[]];
    if ("error" in outcome) {
      errors.push(`${first.name}, ${kind}: ${outcome.error.message}`);
      continue;
    }
    let { ids } = outcome;
    if (ids.length > mostRelated) {
      errors.push(
        `${first.name}, ${kind}: more than ${mostRelated} are selected, ${mostRelated} of them are kept.`,
      );
      ids = ids.slice(0, mostRelated);
    }
    const seen = new Set<string>();
    for (const { component: one } of same)
      for (const id of ids) {
        // Nothing lies below itself, nor below what lies below it.
        const isAbove = kind === "selectors" && (id === one.id || one.path.includes(id));
        const pair = `${one.id}/${id}`;
        if (isAbove || seen.has(pair)) continue;
        if (found.length === most) {
          errors.push(
            `${one.name}, ${kind}: all components together select more than ${most}: those that follow are not related. Say in the selectors which of them matter.`,
          );
          return found;
        }
        seen.add(pair);
        found.push({ component: one, key, id });
      }
  }
  return found;
}

interface Asked {
  key: string;
  outcome: { ids: string[] } | { error: AppError };
}

/** What each selector selects, in their order: many are asked at once. */
async function* idsOfEach(
  ctx: Ctx,
  kind: Kind,
  wanted: ReadonlyMap<string, readonly Wanted[]>,
): AsyncGenerator<Asked> {
  const now = ctx.clock.now();
  let waiting: (Asked & { statement?: Sql })[] = [];
  let lookUps: LookUp[] = [];
  let values = 0;
  async function* ask(): AsyncGenerator<Asked> {
    ctx.signal.throwIfAborted();
    const statements = waiting.flatMap(({ statement }) => statement ?? []);
    await lookUpAll(lookUps, (asked) => ctx.db.rows(asked));
    const rows =
      statements.length === 0
        ? []
        : await ctx.db.rows<{ key: string; ids: string[] }>(
            sql`${join(statements, " union all ")}`,
          );
    const ids = new Map(rows.map((row) => [row.key, row.ids]));
    for (const { key, outcome } of waiting)
      yield { key, outcome: "error" in outcome ? outcome : { ids: ids.get(key) ?? [] } };
    waiting = [];
    lookUps = [];
    values = 0;
  }
  for (const [key, [one]] of wanted) {
    try {
      const statement = idsStatement(kind, { key, selector: one!.selector, now, lookUps });
      waiting.push({ key, outcome: { ids: [] }, statement });
      values += statement.values.length;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      waiting.push({ key, outcome: { error } });
    }
    if (waiting.length >= together.selectors || values >= together.values) yield* ask();
  }
  yield* ask();
}

interface IdsAsked {
  key: string;
  selector: ResourceSelector;
  now: Date;
  /** Gets what has to be looked up before. */
  lookUps: LookUp[];
}

/** @throws AppError where the selector says something that there is not */
function idsStatement(kind: Kind, { key, selector, now, lookUps }: IdsAsked): Sql {
  const { table } = kinds[kind];
  const where = selectorCondition(kinds[kind], [selector], { now, path: "selector", lookUps });
  const limit = Math.min(selector.limit ?? mostRelated + 1, mostRelated + 1);
  return sql`
    select ${key}::text as key, array(
      select ${raw(table)}.id::text from ${raw(table)} where ${where} order by ${raw(table)}.id limit ${limit}) as ids`;
}

type Write = (tx: Queryable, found: readonly Found[], among: Sql) => Promise<void>;

/** Selectors have keys of this length; what others say has none. */
const bySelector = sql`length(r.selector_id) = 32`;
const given = (found: readonly Found[]) => sql`
  unnest(${found.map(({ component: one }) => one.id)}::uuid[], ${found.map(({ id }) => id)}::uuid[],
         ${found.map(({ key }) => key)}::text[], ${found.map(({ component: one }) => one.path)}::text[]) g (component_id, id, key, path)`;
const ofComponents = (among: Sql) => sql`
  exists (select from components c where c.id = r.component_id and c.agent_id = ${localAgent} ${among})`;

const writers: Record<Kind, Write> = {
  async selectors(tx, found, among) {
    await tx.run(sql`
      insert into component_relationships as r (component_id, relationship_id, selector_id, relationship_path)
      select g.id, g.component_id, g.key, g.path from ${given(found)} join components k on k.id = g.id order by 1, 2
      on conflict (component_id, relationship_id, selector_id) do update
         set deleted_at = null, relationship_path = excluded.relationship_path
       where r.deleted_at is not null or r.relationship_path is distinct from excluded.relationship_path`);
    await tx.run(sql`
      update component_relationships r set deleted_at = now()
       where r.deleted_at is null and ${bySelector}
         and exists (select from components c
                      where c.id = r.relationship_id and c.agent_id = ${localAgent} ${among})
         and not exists (select from ${given(found)}
                          where g.component_id = r.relationship_id and g.id = r.component_id and g.key = r.selector_id)`);
  },
  async configs(tx, found, among) {
    await tx.run(sql`
      insert into config_component_relationships as r (component_id, config_id, selector_id)
      select distinct on (g.component_id, g.id) g.component_id, g.id, g.key
        from ${given(found)} join config_items i on i.id = g.id order by 1, 2, 3
      on conflict (component_id, config_id) do update set deleted_at = null, selector_id = excluded.selector_id
        -- What somebody has linked by hand stays theirs.
       where r.deleted_at is not null`);
    await tx.run(sql`
      update config_component_relationships r set deleted_at = now()
       where r.deleted_at is null and ${bySelector} and ${ofComponents(among)}
         and not exists (select from ${given(found)} where g.component_id = r.component_id and g.id = r.config_id)`);
  },
  async checks(tx, found, among) {
    await tx.run(sql`
      insert into check_component_relationships as r (component_id, check_id, canary_id, selector_id)
      select g.component_id, k.id, k.canary_id, g.key from ${given(found)} join checks k on k.id = g.id
       where k.deleted_at is null order by 1, 2
      on conflict (component_id, check_id, canary_id, selector_id) do update set deleted_at = null
       where r.deleted_at is not null`);
    await tx.run(sql`
      update check_component_relationships r set deleted_at = now()
       where r.deleted_at is null and ${bySelector} and ${ofComponents(among)}
         and not exists (select from ${given(found)}
                          where g.component_id = r.component_id and g.id = r.check_id and g.key = r.selector_id)`);
  },
};
