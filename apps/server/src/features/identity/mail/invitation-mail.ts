import sql from "sql-template-tag";
import { z } from "zod";
import type { Tx } from "#platform/context.ts";
import { defineJob } from "#platform/jobs/job.ts";
import { invitationWasMailed, invitationWasNotMailed } from "./unmailed-invitations.ts";
import { mailedAddress, sendMail } from "./mail.ts";
import { createRecoveryLink } from "../code/recovery-link.ts";

/** Sends an invited person the link with which they choose a password. The link is made here, so that it is kept nowhere. */
export const mailInvitation = defineJob({
  name: "identity/mail-invitation",
  payload: z.object({ identity_id: z.guid(), invited_by: z.string() }),
  concurrency: 2,
  timeoutMs: 90_000,
  retries: 6,
  history: {
    name: "SendInvitation",
    retention: "few",
    resource: ({ identity_id: id }) => ({ type: "person", id }),
  },
  async run(ctx, { identity_id: identityId, invited_by: invitedBy }) {
    const found = await ctx.db.first<{ email: string }>(sql`
      select traits ->> 'email' as email from identities where id = ${identityId} and state = 'active'`);
    if (!found) return;
    const { link, expires_at: until } = await createRecoveryLink(ctx, identityId, {
      provesAddress: found.email,
    });
    const sent = sendMail(ctx, {
      to: found.email,
      subject: "You are invited to Mainstay",
      text: [
        `${invitedBy} has invited you to Mainstay at ${mailedAddress(ctx.config)}.`,
        `Follow this link to choose a password:\n${link}`,
        `The link works once, until ${until.toUTCString()}.`,
      ],
    });
    try {
      await sent;
    } catch (error) {
      await invitationWasNotMailed(ctx.db, identityId, ctx.clock.now());
      throw error;
    }
    await invitationWasMailed(ctx.db, identityId);
  },
});

/** Within the transaction that makes the identity. Only where mail is sent (`sendsMail`). */
export async function sendInvitation(
  tx: Tx,
  invitation: { identityId: string; invitedBy: string },
): Promise<void> {
  const { identityId, invitedBy } = invitation;
  await tx.enqueue(mailInvitation, { identity_id: identityId, invited_by: invitedBy });
}
