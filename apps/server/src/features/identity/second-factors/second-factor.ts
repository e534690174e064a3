import sql from "sql-template-tag";
import type { Ctx, Tx } from "#platform/context.ts";
import { unsupported } from "#platform/errors.ts";
import type { Queryable } from "#platform/db/database.ts";
import { secondFactorTypes } from "../credentials.ts";
import { sendsMail } from "../mail/mail.ts";
import { generic } from "../flows/messages.ts";
import type { FlowChange, Step } from "../flows/method.ts";
import { notify } from "../mail/notice-mail.ts";
import { revokeSessionsOf, type Session } from "../sessions/sessions.ts";

/** What the methods that are second factors share. */

/** Of the mail about it. */
export const secondFactorsChanged = "Your second factors were changed";

/** Whether a button was pressed, in a form or by a program. */
export const isSet = (value: unknown): boolean => value === true || value === "true";

/** Whoever has just shown a new second factor has shown a second factor. */
export async function raiseSession(
  tx: Queryable,
  session: Session,
  method: "totp" | "lookup_secret" | "webauthn",
  now: Date,
): Promise<void> {
  const shown = [{ method, aal: "aal2", completed_at: now.toISOString() }];
  await tx.run(sql`
    update identity_sessions
       set aal = 'aal2', authentication_methods = authentication_methods || ${JSON.stringify(shown)}::jsonb
     where id = ${session.id}`);
}

/** Whether who is signed in has shown lately who they are, so that secrets may be shown to them. */
export const isPrivileged = ({ exchange: { ctx, config }, session }: Step): boolean =>
  session !== undefined &&
  ctx.clock.now().getTime() - session.authenticated_at.getTime() <= config.identityPrivilegedAge;

/** Takes one guess of a short code; a refusal when there have been too many. */
export function takeGuess(step: Step): { refusal: FlowChange } | undefined {
  const { limits, request, ctx } = step.exchange;
  const wait = limits.takeGuess(request.ip, step.session!.identity_id);
  if (wait === 0) return undefined;
  ctx.log.warn({ ip: request.ip, identity: step.session!.identity_id }, "too many wrong codes");
  return { refusal: { messages: [tooManyGuesses(wait)], retryAfter: wait } };
}

export function giveGuessBack({ exchange: { limits, request }, session }: Step): void {
  limits.giveGuessBack(request.ip, session!.identity_id);
}

const tooManyGuesses = (seconds: number) =>
  generic(
    `Too many wrong codes. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    { retry_after: seconds },
  );

/**
 * Takes every second factor from a person who has lost them, and signs them out everywhere: who has found them may be
 * signed in. Answers which there were. Call `forgetSessions` when it is committed.
 */
export async function removeSecondFactors(ctx: Ctx, tx: Tx, identityId: string): Promise<string[]> {
  if (ctx.config.identityUrl !== undefined)
    throw unsupported("Second factors are kept by the identity service that IDENTITY_URL names.");
  const removed = await tx.rows<{ type: string }>(sql`
    delete from identity_credentials
     where identity_id = ${identityId} and type = any(${secondFactorTypes}::text[]) returning type`);
  await tx.run(
    sql`delete from identity_keys where identity_id = ${identityId} and kind = 'webauthn'`,
  );
  if (removed.length === 0) return [];
  await revokeSessionsOf(tx, identityId);
  if (sendsMail(ctx.config)) {
    const text =
      "An administrator has removed your second factors. Sign in with your first one, and set up others in your profile.";
    await notify(tx, { identityId, subject: secondFactorsChanged, text });
  }
  return removed.map(({ type }) => type).toSorted();
}
