import type { Ctx, Tx } from "#platform/context.ts";
import { unsupported } from "#platform/errors.ts";
import { flowKinds } from "../flows/flow-kinds.ts";
import { issueLink } from "./codes.ts";
import { mailedAddress } from "../mail/mail.ts";

/** A link that is handed over from person to person takes longer than one that is mailed. */
const HANDED_OVER_MS = 3 * 24 * 60 * 60 * 1000;

export interface RecoveryLink {
  /** Shown once; only its hash is kept. */
  link: string;
  expires_at: Date;
}

/**
 * A link with which somebody signs in once and chooses a new password: for an invitation, and where no mail is sent.
 * `address` is where the console is open, when PUBLIC_URL does not say it.
 */
export async function createRecoveryLink(
  ctx: Ctx,
  identityId: string,
  options: { tx?: Tx; address?: string; provesAddress?: string } = {},
): Promise<RecoveryLink> {
  if (ctx.config.identityUrl !== undefined)
    throw unsupported("Links are made by the identity service that IDENTITY_URL names.");
  const { tx, provesAddress = null } = options;
  const now = ctx.clock.now();
  const token = await issueLink(tx ?? ctx.db, {
    purpose: "recovery",
    identityId,
    address: provesAddress,
    now,
    lifespanMs: HANDED_OVER_MS,
  });
  const base = ctx.config.publicUrl ?? options.address ?? mailedAddress(ctx.config);
  return {
    link: `${base}${flowKinds.recovery.path}?token=${token}`,
    expires_at: new Date(now.getTime() + HANDED_OVER_MS),
  };
}
