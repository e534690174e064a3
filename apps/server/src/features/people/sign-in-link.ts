import type { FastifyRequest } from "fastify";
import { baseUrl, createRecoveryLink, notify, sendsMail } from "#features/identity/index.ts";
import type { Ctx } from "#platform/context.ts";
import { conflict } from "#platform/errors.ts";
import { administer } from "./administer.ts";
import { readPersonId } from "./person-input.ts";
import { requireIdentity } from "./require-user.ts";

export interface SignInLink {
  /** With which the user chooses a new password. It is shown here, once. */
  link: string;
  expires_at: string;
}

/**
 * A link to hand over to a user who has lost the password, or the link of the invitation. It takes the place of no
 * second factor.
 */
export async function makeSignInLink(
  ctx: Ctx,
  id: string,
  request: FastifyRequest,
): Promise<SignInLink> {
  const personId = readPersonId(id);
  return await administer(ctx, ["identities"], async (tx) => {
    const identity = await requireIdentity(tx, personId);
    if (identity.state !== "active")
      throw conflict("This user is not active. Let them in again first.");
    const address = baseUrl(request, ctx.config);
    const { link, expires_at: until } = await createRecoveryLink(ctx, personId, { tx, address });
    // Whoever holds the link could sign in: the one it belongs to should know that there is one.
    if (sendsMail(ctx.config))
      await notify(tx, {
        identityId: personId,
        subject: "A sign-in link was made for you",
        text: "An administrator has made a link with which you can sign in and choose a new password.",
      });
    return { link, expires_at: until.toISOString() };
  });
}
