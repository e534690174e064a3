import type { AccessToken } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { readTokens } from "./access-token.ts";
import { requireSession } from "./create-token.ts";

/** The asker's tokens, or everybody's for who may look after roles. */
export async function listTokens(ctx: Ctx, all: boolean): Promise<{ tokens: AccessToken[] }> {
  const actor = requireSession(ctx);
  if (all) ctx.require("rbac", "read");
  const which = all ? sql`true` : sql`t.person_id = ${actor.id}`;
  return { tokens: await readTokens(ctx.db, which) };
}
