import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { findLink } from "../code/codes.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import type { KindRules } from "./kind-rules.ts";
import { messages } from "./messages.ts";
import { bodyOf, openFlow, pageOf } from "./open-flow.ts";

/** Whether somebody has an account here in which they have never been. */
async function isInvited({ db }: Ctx, identityId: string | null): Promise<boolean> {
  const found = await db.first(
    sql`select from identities where id = ${identityId} and first_sign_in_at is null`,
  );
  return found !== undefined;
}

/** What a link opens. */
export async function followLink<Kind extends "recovery" | "verification">(
  exchange: Exchange,
  rules: KindRules<Kind>,
): Promise<unknown> {
  const { ctx, query, reply } = exchange;
  const proof = await findLink(ctx.db, {
    purpose: rules.kind,
    token: query.token,
    now: ctx.clock.now(),
  });
  const invited =
    proof !== undefined && rules.kind === "recovery" && (await isInvited(ctx, proof.identity_id));
  const step = await openFlow(
    exchange,
    rules,
    proof
      ? {
          type: "browser",
          state: { phase: "sent_email", kept: { link: proof, ...(invited && { invited }) } },
          messages: [
            rules.kind === "verification"
              ? messages.followedVerification
              : invited
                ? messages.invitation
                : messages.followedRecovery,
          ],
        }
      : {
          type: "browser",
          messages: [
            rules.kind === "recovery"
              ? messages.recoveryLinkInvalid
              : messages.verificationLinkInvalid,
          ],
        },
  );
  if (wantsPage(exchange)) return reply.redirect(pageOf(step.flow), 303);
  return await bodyOf(rules, step);
}
