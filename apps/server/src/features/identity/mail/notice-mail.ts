import sql from "sql-template-tag";
import { z } from "zod";
import type { Tx } from "#platform/context.ts";
import { defineJob } from "#platform/jobs/job.ts";
import { flowKinds } from "../flows/flow-kinds.ts";
import { mailedAddress, sendMail } from "./mail.ts";

/** Tells a person what happened to their account, so that they can act when it was not they. */
export const mailNotice = defineJob({
  name: "identity/mail-notice",
  payload: z.object({
    identity_id: z.guid(),
    subject: z.string(),
    text: z.string(),
    /** The address from before a change. */
    to: z.string().optional(),
  }),
  concurrency: 2,
  timeoutMs: 90_000,
  retries: 4,
  history: { name: "SendNotice", retention: "few" },
  async run(ctx, { identity_id: identityId, subject, text, to }) {
    const found = await ctx.db.first<{ email: string }>(sql`
      select traits ->> 'email' as email from identities where id = ${identityId} and state = 'active'`);
    if (!found) return;
    const base = mailedAddress(ctx.config);
    await sendMail(ctx, {
      to: to ?? found.email,
      subject,
      text: [
        text,
        `If it was not you, choose a new password at ${base}${flowKinds.recovery.page} and tell an administrator.`,
      ],
    });
  },
});

/** Within the transaction of what happened. */
export async function notify(
  tx: Tx,
  notice: { identityId: string; subject: string; text: string; to?: string },
): Promise<void> {
  const { identityId, ...rest } = notice;
  await tx.enqueue(mailNotice, { identity_id: identityId, ...rest });
}
