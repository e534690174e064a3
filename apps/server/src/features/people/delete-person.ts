import sql from "sql-template-tag";
import { deleteIdentity } from "#features/identity/index.ts";
import type { Ctx } from "#platform/context.ts";
import { forbidden } from "#platform/errors.ts";
import { administer, isSelf } from "./administer.ts";
import { readPersonId } from "./person-input.ts";
import { requireUser } from "./require-user.ts";

/**
 * Ends a user: the identity goes with all that it signs in with, the person stays, as deleted, because others point at
 * it. Whoever signs in elsewhere has no identity here.
 */
export async function deletePerson(ctx: Ctx, id: string): Promise<void> {
  const personId = readPersonId(id);
  await administer(ctx, ["identities"], async (tx) => {
    if (isSelf(ctx, personId))
      throw forbidden("You cannot delete yourself. Ask another administrator to do it.");
    await requireUser(tx, personId);
    await deleteIdentity(tx, personId);
    await tx.run(sql`select delete_person(${personId})`);
  });
}
