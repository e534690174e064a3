import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";

export interface Property {
  name: string;
  value: string;
  /** `local` comes from a file of the server and cannot be edited. */
  source: "db" | "local";
  type: string;
  description: string;
}

/** Every property in force. The console reads its feature flags from them. */
export async function listProperties(ctx: Ctx): Promise<Property[]> {
  return await ctx.db.rows<Property>(sql`
    select name, value, 'db' as source, '' as type, '' as description
      from properties where deleted_at is null order by name`);
}
