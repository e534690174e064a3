import sql, { join, raw, type Sql } from "sql-template-tag";
import { z } from "zod";
import type { Ctx } from "#platform/context.ts";

/** As many as a list exports. */
const mostFound = 10_000;
/** A search reads the whole log. */
const longestMs = 5_000;

const word = z.string().max(256);

/** Which acts: those of which one row is all of this. */
export const ActQuery = z.object({
  /** In the name of who did it, or in the table, id or name of the row, however it is written. */
  query: word.optional(),
  verb: word.optional(),
  resource_type: word.optional(),
  resource_id: z.guid().optional(),
  sortBy: z.enum(["created_at", "actor_name"]).default("created_at"),
  sortOrder: z.enum(["asc", "desc"]).default("desc"),
  limit: z.coerce.number().int().min(1).max(mostFound),
  offset: z.coerce.number().int().min(0).default(0),
});

/** A page of acts, each with the first of its rows that is as asked, and how many such acts there are. */
export async function findActs(
  ctx: Ctx,
  { sortBy, sortOrder, limit, offset, ...asked }: z.infer<typeof ActQuery>,
): Promise<{ rows: unknown[]; total: number }> {
  ctx.require("audit", "read");
  const order =
    sortBy === "created_at"
      ? raw(`created_at ${sortOrder}, id desc`)
      : raw(`actor_name ${sortOrder}, created_at desc, id desc`);
  const [answer] = await ctx.db.transaction(
    (tx) =>
      tx.rows<{ total: number; rows: unknown[] }>(sql`
        with acts as materialized (
          select distinct on (created_at, actor_id, request_id) id, created_at, actor_name
            from ${asked.query ? sql`audit_entries` : sql`audit_log`}
           where ${isAsked(asked)}
           order by created_at, actor_id, request_id, id),
        shown as (select * from acts order by ${order} limit ${limit} offset ${offset})
        select (select count(*)::int from acts) as total,
               coalesce((select jsonb_agg(to_jsonb(e) order by ${order}) from shown join audit_entries e using (id, created_at, actor_name)), '[]') as rows`),
    { settings: { statement_timeout: String(longestMs) } },
  );
  return answer!;
}

type Asked = Pick<z.infer<typeof ActQuery>, "query" | "verb" | "resource_type" | "resource_id">;

function isAsked({ query, verb, resource_type: type, resource_id: id }: Asked): Sql {
  const part = `%${query?.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const conditions = [
    query
      ? sql`(actor_name ilike ${part} or table_name ilike ${part} or row_id ilike ${part} or row_name ilike ${part})`
      : undefined,
    verb ? sql`verb = ${verb}` : undefined,
    type ? sql`resource_type = ${type}` : undefined,
    id ? sql`resource_id = ${id}::uuid` : undefined,
  ].filter((one) => one !== undefined);
  return conditions.length === 0 ? sql`true` : join(conditions, " and ");
}
