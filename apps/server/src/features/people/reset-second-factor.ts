import { findIdentity, removeSecondFactors } from "#features/identity/index.ts";
import type { Ctx } from "#platform/context.ts";
import { administer } from "./administer.ts";
import { noSuchUser, readPersonId } from "./person-input.ts";

/** Lets in again who has lost every second factor: they sign in with the first one and set up others. */
export async function resetSecondFactor(
  ctx: Ctx,
  id: string,
): Promise<{ id: string; removed: string[] }> {
  const personId = readPersonId(id);
  const removed = await administer(ctx, ["identities"], async (tx) => {
    if (!(await findIdentity(tx, personId))) throw noSuchUser();
    return await removeSecondFactors(ctx, tx, personId);
  });
  return { id: personId, removed };
}
