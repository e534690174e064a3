import { markVerified, useUp } from "../code/codes.ts";
import type { KindRules } from "./kind-rules.ts";
import { sendsMail } from "../mail/mail.ts";
import { messages } from "./messages.ts";
import { bodyOf, openFlow, pageOf } from "./open-flow.ts";
import { baseUrl, ownOrigins } from "../sessions/request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import { alreadySignedIn, locationChangeRequired } from "./self-service-error.ts";
import { wantsPage } from "./exchange.ts";
import { sessionOf } from "../sessions/sessions.ts";
import { settings } from "./settings.ts";
import { setSessionCookie, signIn } from "./sign-in.ts";

/** Getting back in without the password. It ends signed in, in a settings flow, where a new password is chosen. */
export const recovery: KindRules<"recovery"> = {
  kind: "recovery",
  async open(exchange, type) {
    const { ctx, config, request, query } = exchange;
    const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
    if (await sessionOf(ctx, request))
      return { leaveTo: returnTo ?? "/", error: alreadySignedIn() };
    return { type, ...(returnTo ? { returnTo } : {}) };
  },
  admit: ({ ctx, request }) => sessionOf(ctx, request),
  check: ({ flow, session }) =>
    // A link is for whom it was made, whoever is signed in here.
    session && !flow.state.kept.link
      ? { leaveTo: flow.return_to ?? "/", error: alreadySignedIn() }
      : undefined,
  greeting: ({ kept }, { config }) => (sendsMail(config) || kept.link ? [] : [messages.noMail]),
  async complete({ exchange, flow, session: before }, method, { identityId, proof, method: name }) {
    const { ctx, config, request, reply } = exchange;
    const now = ctx.clock.now();
    const signedIn = await signIn(exchange, {
      flow,
      async identify(tx) {
        if (!(await useUp(tx, proof, now))) return undefined;
        if (proof.address !== null) await markVerified(tx, identityId, proof.address, now);
        return identityId;
      },
      methods: [{ method: name, aal: "aal1", completed_at: now.toISOString() }],
      before,
    });
    if (!signedIn)
      return {
        refusal: {
          messages: [
            method.name === "link" ? messages.recoveryLinkInvalid : messages.recoveryCodeInvalid,
          ],
        },
      };
    ctx.log.info({ identity: identityId, by: name }, "account recovered");
    const { token, session } = signedIn;
    // Before anything else can fail: the secret is used up, and they are in.
    if (flow.type === "browser") setSessionCookie(exchange, token);
    const minutes = Math.floor(config.identityPrivilegedAge / 60_000);
    const done = flow.state.kept.invited ? messages.welcome(minutes) : messages.recovered(minutes);
    const next = await openFlow(exchange, settings, {
      type: flow.type,
      session: { ...session, token, from: flow.type === "api" ? "header" : "cookie" },
      identityId,
      ...(flow.return_to ? { returnTo: flow.return_to } : {}),
      state: { phase: "show_form" },
      messages: [done],
    });
    const page = pageOf(next.flow);
    if (flow.type === "api") {
      const recovered = {
        ...flow,
        state: {
          ...flow.state,
          active: method.name,
          phase: "passed_challenge" as const,
          messages: [done],
          continue_with: [
            { action: "set_ory_session_token" as const, ory_session_token: token },
            { action: "show_settings_ui" as const, flow: { id: next.flow.id } },
          ],
        },
      };
      return { reply: await bodyOf(recovery, { exchange, flow: recovered }) };
    }
    if (wantsPage(exchange)) return { reply: reply.redirect(page, 303) };
    throw locationChangeRequired(`${baseUrl(request, config)}${page}`);
  },
};
