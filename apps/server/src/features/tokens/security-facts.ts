import type { SecurityFact } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { counted, factsThatHold } from "#platform/security-facts.ts";

/** What access tokens weaken. */
export async function tokenFacts(ctx: Ctx): Promise<SecurityFact[]> {
  const row = await ctx.db.first<{ tokens: number; people: number }>(sql`
    select count(*)::int as tokens, count(distinct t.person_id)::int as people
      from access_tokens t join people p on p.id = t.person_id and p.deleted_at is null
     where t.expires_at is null`);
  const { tokens, people } = row!;
  return factsThatHold([
    [
      tokens > 0,
      () => ({
        id: "tokens.forever",
        title: "Access tokens never expire",
        state: `${counted(tokens, "token", "tokens")} of ${counted(people, "person", "people")} without an end.`,
        cost: "Whoever finds one in a file, a log or a backup has it for as long as its owner is here.",
        remedy: "Revoke them under Access Tokens, and create others that expire.",
        weight: "notable",
      }),
    ],
  ]);
}
