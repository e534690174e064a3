import type { FoundResource, FoundResources, ResourceSearch } from "@mainstay/contract";
import type { LookUp } from "@mainstay/data-api/declare.ts";
import { lookUpAll } from "@mainstay/data-api/look-up.ts";
import sql, { join, raw, type Sql } from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { askShared } from "#platform/http/shares.ts";
import { selectResources } from "./compile-selector.ts";
import type { Searchable } from "./searchable.ts";

const usualLimit = 100;
/** A search that finds nothing looks at every row of its kind; one that takes longer than this is refused. */
const longestMs = 5_000;

/** The resources that selectors select, of every kind that was asked for. `spent` is told how long each took. */
export async function searchResources(
  ctx: Ctx,
  kinds: ReadonlyMap<string, Searchable>,
  search: ResourceSearch,
  spent: (ms: number) => void,
): Promise<FoundResources> {
  const asked = [...kinds.values()].filter(({ as }) => search.selectors[as]);
  for (const { read } of asked) ctx.require(read, "read");
  const limit = search.limit || usualLimit;
  const now = ctx.clock.now();
  const words = search.words ?? "name";
  // All of them are compiled before any is asked: what is wrong with one is told before anything is read.
  const statements = asked.map((kind) => {
    const columns = columnsOf(kind);
    const selectors = search.selectors[kind.as] ?? [];
    const lookUps: LookUp[] = [];
    const options = { columns, limit, now, words, lookUps };
    return { as: kind.as, lookUps, statement: selectResources(kind, selectors, options) };
  });
  const found: FoundResources = {};
  // One after the other: a search has one connection, however many kinds it is of.
  for (const { as, statement, lookUps } of statements)
    found[as] = statement
      ? await askShared({
          db: ctx.db,
          spent,
          longestMs,
          async ask(tx) {
            await lookUpAll(lookUps, (asked) => tx.rows(asked));
            return tx.rows<FoundResource>(statement);
          },
        })
      : [];
  return found;
}

const localAgent = "00000000-0000-0000-0000-000000000000";

function columnsOf(kind: Searchable): Sql {
  const { table, name, namespace, icon, maps, fields, as, shown } = kind;
  const map = (one: "labels" | "tags") =>
    maps.includes(one) ? raw(`coalesce(${table}.${one}, '{}'::jsonb)`) : sql`'{}'::jsonb`;
  const health = ["status", "health"].find((column) => fields[column] === "health");
  return join([
    raw(`${table}.id`),
    "agent_id" in fields ? raw(`${table}.agent_id as agent`) : sql`${localAgent}::uuid as agent`,
    raw(`coalesce(${icon}, '') as icon`),
    raw(`coalesce(${name}, '') as name`),
    raw(`coalesce(${namespace}, '') as namespace`),
    "type" in fields ? raw(`coalesce(${table}.type, '') as type`) : sql`${as}::text as type`,
    sql`${map("tags")} as tags`,
    sql`${map("labels")} as labels`,
    ...(health === undefined
      ? []
      : [
          raw(
            `coalesce(nullif(${shown[health] ?? `${table}.${health}`}, ''), 'unknown') as status`,
          ),
        ]),
  ]);
}
