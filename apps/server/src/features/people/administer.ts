import { isAllowed, type Resource } from "@mainstay/contract";
import { forgetSessions } from "#features/identity/index.ts";
import { keepAdministrator, lockRoles, rolesOf } from "#features/roles/index.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { forbidden, unauthenticated } from "#platform/errors.ts";

/**
 * A change of people or of what they may do. One at a time, with the asker's rights as they are then: whoever was
 * demoted a moment ago demotes nobody any more. An administrator is left afterwards, and what any server of this
 * process believed about sessions is forgotten.
 */
export async function administer<T>(
  ctx: Ctx,
  needs: readonly Resource[],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (const resource of needs) ctx.require(resource, "write");
  try {
    return await ctx.tx(async (tx) => {
      await lockRoles(tx);
      await requireStill(tx, ctx, needs);
      const result = await work(tx);
      await keepAdministrator(tx);
      return result;
    });
  } finally {
    forgetSessions(ctx);
  }
}

async function requireStill(tx: Tx, { actor }: Ctx, needs: readonly Resource[]): Promise<void> {
  if (actor.kind !== "person") return;
  const roles = await rolesOf(tx, actor.id);
  if (!roles) throw unauthenticated();
  if (needs.every((resource) => isAllowed(roles, resource, "write"))) return;
  throw forbidden("You may not do this any more: your roles were changed a moment ago.");
}

export const isSelf = ({ actor }: Ctx, personId: string): boolean =>
  actor.kind === "person" && actor.id === personId;
