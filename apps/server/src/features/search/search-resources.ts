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
const longestMs = 10_000;

/** The resources that selectors select, of every kind that was asked for. */
export async function searchResources(ctx: Ctx, search: ResourceSearch): Promise<FoundResources> {
  const asked = resourceKinds.filter((kind) => search[kind]);
  for (const kind of asked) ctx.require(kindsOfResource[kind].read, "read");
  const limit = search.limit || usualLimit;
  const now = ctx.clock.now();
  // All of them are compiled before any is asked: what is wrong with one is told before anything is read.
  const statements = asked.map((kind) => {
    const columns = columnsOf(kind);
    return { kind, statement: selectResources(kind, search[kind] ?? [], { columns, limit, now }) };
  });
  const found = await Promise.all(
    statements.map(async ({ kind, statement }) => [
      kind,
      statement
        ? await ctx.db.transaction((tx) => tx.rows<FoundResource>(statement), { settings })
        : [],
    ]),
  );
  return Object.fromEntries(found) as FoundResources;
}

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
