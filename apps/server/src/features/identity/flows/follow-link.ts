import { findLink } from "../code/codes.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import type { KindRules } from "./kind-rules.ts";
import { messages } from "./messages.ts";
import { bodyOf, openFlow, pageOf } from "./open-flow.ts";

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
  const step = await openFlow(
    exchange,
    rules,
    proof
      ? {
          type: "browser",
          state: { phase: "sent_email", kept: { link: proof } },
          messages: [
            rules.kind === "recovery" ? messages.invitation : messages.followedVerification,
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
