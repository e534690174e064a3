import {
  nameableKey,
  nameableType,
  type ProposalOffers,
} from "@mainstay/contract/topology-proposal.ts";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";

/** As many of each are offered, those first that most items have. */
const most = 200;

/** By what a topology can be proposed, with how much that would cover. */
export async function readOffers(ctx: Ctx, tx: Queryable): Promise<ProposalOffers> {
  ctx.require("topologies", "read");
  ctx.require("config_scrapers", "read");
  const keys = await tx.rows<{
    kind: "tag" | "label";
    key: string;
    values: number;
    items: number;
  }>(sql`
    select kind, key, count(*) as values, sum(items) as items from config_facets
     where items > 0 group by kind, key order by items desc, key limit ${10 * most}`);
  const types = await tx.rows<{ type: string; items: number }>(sql`
    select type, count(*) as items from config_items where deleted_at is null
     group by type order by items desc, type limit ${most}`);
  const named = keys.filter(({ key }) => nameableKey.test(key));
  const of = (wanted: string) =>
    named
      .filter(({ kind }) => kind === wanted)
      .slice(0, most)
      .map(({ key, values, items }) => ({ key, values, items }));
  return {
    tags: of("tag"),
    labels: of("label"),
    types: types.filter(({ type }) => nameableType.test(type)),
    unnamed: keys.length - named.length,
  };
}
