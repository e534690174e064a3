import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { notFound } from "#platform/errors.ts";
import { requireSession } from "./create-token.ts";

/** Ends a token for good: one's own, or anybody's for who may look after roles. What others have does not exist. */
export async function revokeToken(ctx: Ctx, id: string): Promise<void> {
  const actor = requireSession(ctx);
  await ctx.tx(async (tx) => {
    const revoked = await tx.first<{ person_id: string; kind: string }>(sql`
      delete from access_tokens
       where id = ${id} and (person_id = ${actor.id} or ${ctx.can("rbac", "write")}::boolean)
       returning person_id, kind`);
    if (!revoked) throw notFound("There is no such token.");
    await endService(tx, revoked);
  });
}

/** A service is nothing without its token. */
export async function endService(
  tx: Tx,
  { person_id: personId, kind }: { person_id: string; kind: string },
): Promise<void> {
  if (kind !== "service") return;
  await tx.run(sql`
    select delete_person(id) from people p where id = ${personId} and type = 'service'
       and not exists (select from access_tokens where person_id = p.id)`);
}
