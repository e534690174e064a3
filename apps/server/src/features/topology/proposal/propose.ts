import {
  nameableKey,
  nameableType,
  proposalWays,
  type TopologyProposal,
} from "@mainstay/contract/topology-proposal.ts";
import sql, { type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";
import type { Queryable } from "#platform/db/database.ts";
import { notFound } from "#platform/errors.ts";
import { writeProposal } from "./write-proposal.ts";

export const Wish = z
  .object({
    by: z.enum(proposalWays),
    key: z.string().regex(nameableKey, "No selector can name this tag or label.").optional(),
    types: z
      .array(z.string().regex(nameableType, "No selector can name this type."))
      .max(50)
      .default([]),
  })
  .refine(({ by, key }) => by === "ownership" || key !== undefined, {
    path: ["key"],
    error: "Say which tag or label.",
  });

/** Items that one lookup of the catalog finds. */
const mostItems = 1_000;

/** A topology made of what is in the catalog, as a text to go on with. Nothing is stored. @throws notFound */
export async function propose(
  ctx: Ctx,
  tx: Queryable,
  wish: z.output<typeof Wish>,
): Promise<TopologyProposal> {
  ctx.require("topologies", "read");
  ctx.require("config_scrapers", "read");
  const { by, key, types } = wish;
  const value: Sql =
    by === "tag"
      ? sql`i.tags ->> ${key}`
      : by === "label"
        ? sql`i.labels ->> ${key}`
        : sql`''::text`;
  const counts = await tx.first<{ all: number; items: number; groups: number }>(sql`
    select count(*) as all, count(v.value) as items, count(distinct v.value) as groups
      from config_items i cross join lateral (select ${value} as value) v
     where i.deleted_at is null and (cardinality(${types}::text[]) = 0 or i.type = any (${types}::text[]))`);
  const { all, items, groups } = counts!;
  if (items === 0)
    throw notFound(
      by === "ownership"
        ? "There is nothing in the catalog yet that a topology could be made of."
        : `No item of the catalog has the ${by} "${key}".`,
    );
  const name = await freeName(tx, by === "ownership" ? "catalog" : `by-${key}`);
  return {
    document: writeProposal({ wish: { by, types, ...(key !== undefined && { key }) }, name }),
    name,
    covers: {
      groups: by === "ownership" ? 0 : groups,
      items: Math.min(items, mostItems),
      leftOut: all - Math.min(items, mostItems),
    },
    notices:
      items > mostItems
        ? [
            `${items} items are meant, and one lookup finds ${mostItems}, by name: choose types, or write a lookup for each.`,
          ]
        : [],
  };
}

/** A name that no topology has: saving the proposal changes none that is there. */
async function freeName(tx: Queryable, wanted: string): Promise<string> {
  const base =
    wanted
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 50) || "catalog";
  const rows = await tx.rows<{ name: string }>(sql`
    select name from topologies where deleted_at is null and (name = ${base} or starts_with(name, ${`${base}-`}))`);
  const taken = new Set(rows.map(({ name }) => name));
  if (!taken.has(base)) return base;
  let count = 2;
  while (taken.has(`${base}-${count}`)) count += 1;
  return `${base}-${count}`;
}
