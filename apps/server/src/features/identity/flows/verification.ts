import { change } from "./change-flow.ts";
import { markVerified, useUp } from "../code/codes.ts";
import type { KindRules } from "./kind-rules.ts";
import { sendsMail } from "../mail/mail.ts";
import { messages } from "./messages.ts";
import type { Step } from "./method.ts";
import { bodyOf, pageOf } from "./open-flow.ts";
import { baseUrl, ownOrigins } from "../sessions/request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import { forgetSessions, sessionOf } from "../sessions/sessions.ts";
import { anchor } from "./ui-nodes.ts";

const hasPassed = ({ flow }: Step) => flow.state.phase === "passed_challenge";
const goalOf = ({ exchange: { request, config }, flow }: Step) =>
  new URL(flow.return_to ?? "/", baseUrl(request, config)).href;

/** Proving that an address is one's own. */
export const verification: KindRules<"verification"> = {
  kind: "verification",
  async open(exchange, type) {
    const { ctx, config, request, query } = exchange;
    const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
    const session = await sessionOf(ctx, request);
    const email = session?.identity.traits.email;
    return {
      type,
      ...(returnTo ? { returnTo } : {}),
      ...(email ? { state: { values: { email } } } : {}),
    };
  },
  admit: async () => undefined,
  greeting: ({ kept }, { config }) => (sendsMail(config) || kept.link ? [] : [messages.noMail]),
  nodes: (step) =>
    hasPassed(step)
      ? [anchor("code", { id: "continue", href: goalOf(step), title: messages.goOn })]
      : [],
  target: (step) => (hasPassed(step) ? { action: goalOf(step), method: "GET" } : undefined),
  async complete(step, method, { proof }) {
    const { ctx } = step.exchange;
    const now = ctx.clock.now();
    const { identity_id: identityId, address } = proof;
    const verified = await ctx.tx(async (tx) => {
      if (identityId === null || address === null) return false;
      if (!(await useUp(tx, proof, now))) return false;
      return await markVerified(tx, identityId, address, now);
    });
    if (!verified)
      return {
        refusal: {
          messages: [
            method.name === "link"
              ? messages.verificationLinkInvalid
              : messages.verificationCodeInvalid,
          ],
        },
      };
    // Nothing about the address is remembered from before.
    forgetSessions(ctx);
    const flow = await change(
      step,
      { phase: "passed_challenge", messages: [messages.verified] },
      method,
    );
    return { page: pageOf(flow), body: await bodyOf(verification, { ...step, flow }) };
  },
};
