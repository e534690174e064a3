import {
  type FoundResource,
  type FoundResources,
  type ResourceKind,
  resourceKinds,
  type ResourceSearch,
} from "@mainstay/contract";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { selectResources } from "./compile-selector.ts";
import { kindsOfResource } from "./resource-kinds.ts";

const usualLimit = 100;
/** A search that finds nothing looks at every row of its kind; one that takes longer than this is refused. */
const longestMs = 5_000;

/** The resources that selectors select, of every kind that was asked for. `spent` is told how long each took. */
export async function searchResources(
  ctx: Ctx,
  search: ResourceSearch,
  spent: (ms: number) => void,
): Promise<FoundResources> {
  const asked = resourceKinds.filter((kind) => search[kind]);
  for (const kind of asked) ctx.require(kindsOfResource[kind].read, "read");
  const limit = search.limit || usualLimit;
  const now = ctx.clock.now();
  // All of them are compiled before any is asked: what is wrong with one is told before anything is read.
  const statements = asked.map((kind) => {
    const columns = columnsOf(kind);
    return { kind, statement: selectResources(kind, search[kind] ?? [], { columns, limit, now }) };
  });
  const found: FoundResources = {};
  // One after the other: a search has one connection, however many kinds it is of.
  for (const { kind, statement } of statements)
    found[kind] = statement ? await ask(ctx, statement, spent) : [];
  return found;
}

const ask = (ctx: Ctx, statement: Sql, spent: (ms: number) => void) =>
  ctx.db.transaction(
    async (tx) => {
      const begun = performance.now();
      try {
        return await tx.rows<FoundResource>(statement);
      } finally {
        spent(performance.now() - begun);
      }
    },
    { settings },
  );

/** A plan that is made without knowing the words could not use the index on names. */
const settings = {
  statement_timeout: String(longestMs),
  plan_cache_mode: "force_custom_plan",
};

function columnsOf(kindName: ResourceKind): Sql {
  const { table, namespace, maps } = kindsOfResource[kindName];
  const map = (name: "labels" | "tags") =>
    maps.includes(name) ? raw(`coalesce(${table}.${name}, '{}'::jsonb)`) : sql`'{}'::jsonb`;
  return join([
    raw(`${table}.id`),
    raw(`${table}.agent_id as agent`),
    raw(`coalesce(${table}.icon, '') as icon`),
    raw(`coalesce(${table}.name, '') as name`),
    raw(`coalesce(${namespace}, '') as namespace`),
    raw(`coalesce(${table}.type, '') as type`),
    sql`${map("tags")} as tags`,
    sql`${map("labels")} as labels`,
  ]);
}
