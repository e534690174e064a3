import type { Address } from "#platform/address.ts";
import sql from "sql-template-tag";
import { actorOf } from "../sessions/authenticate.ts";
import { askForCode, type KeptCode } from "../code/code-mail.ts";
import { change } from "./change-flow.ts";
import type { Exchange } from "./exchange.ts";
import type { ContinueWith, Flow, FlowType } from "./flow.ts";
import { flowKinds } from "./flow-kinds.ts";
import type { KindRules } from "./kind-rules.ts";
import { sendsMail } from "../mail/mail.ts";
import { messages } from "./messages.ts";
import type { Step } from "./method.ts";
import { notify } from "../mail/notice-mail.ts";
import { bodyOf, openFlow, pageOf } from "./open-flow.ts";
import { baseUrl, ownOrigins } from "../sessions/request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import { identityMismatch, noSession, refreshRequired } from "./self-service-error.ts";
import { toIdentityBody } from "../sessions/session-body.ts";
import { findSession, forgetSessions, revokeSessionsOf, sessionOf } from "../sessions/sessions.ts";
import { keepPending } from "./pending-settings.ts";
import { goOnAt, requireSession } from "./signed-in.ts";
import { verification } from "./verification.ts";

/** What people change about themselves: name and address, password, second factors, linked accounts. */
export const settings: KindRules<"settings"> = {
  kind: "settings",
  async open(exchange, type) {
    const { ctx, config, request, query } = exchange;
    const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
    if (!(await sessionOf(ctx, request)))
      return { leaveTo: signInFirst(returnTo), error: noSession() };
    const session = await requireSession(exchange, afterSecondFactor(returnTo));
    return {
      type,
      ...(returnTo ? { returnTo } : {}),
      session,
      identityId: session.identity_id,
      state: { phase: "show_form" },
    };
  },
  async admit(exchange, flow) {
    const session = await requireSession(exchange, pageOf(flow));
    if (session.identity_id !== flow.identity_id) throw identityMismatch();
    return session;
  },
  async checkPart(step, part, fields) {
    const { exchange, flow, session } = step;
    if (!(part.isPrivileged?.(fields, step) ?? true)) return undefined;
    const age = exchange.ctx.clock.now().getTime() - session!.authenticated_at.getTime();
    if (age <= exchange.config.identityPrivilegedAge) return undefined;
    if (flow.type === "browser") await keepPending(step, fields);
    const address = confirmAddress(exchange, flow);
    return { leaveTo: address, error: refreshRequired(address) };
  },
  body: ({ exchange, session }) => ({
    identity: toIdentityBody(session!, baseUrl(exchange.request, exchange.config)),
  }),
  async complete(step, method, done) {
    const { exchange, flow } = step;
    const { ctx } = exchange;
    const session = step.session!;
    // In the name of who is signed in, so that it is written down who changed it.
    await ctx.as(actorOf(session)).tx(async (tx) => {
      await done.apply(tx);
      await tx.run(
        sql`update identities set updated_at = ${ctx.clock.now()} where id = ${session.identity_id}`,
      );
      // Changes of one person come here one after the other: the one before may have ended this session.
      if (!(await tx.first(sql`select from identity_sessions where id = ${session.id} and active`)))
        throw noSession();
      if (done.notice && sendsMail(ctx.config))
        await notify(tx, { identityId: session.identity_id, ...done.notice });
      if (done.endsOtherSessions)
        await revokeSessionsOf(tx, session.identity_id, { except: session.id });
    });
    forgetSessions(ctx);
    const fresh = await findSession(ctx, session.token);
    if (!fresh) throw noSession();
    const continueWith = [
      ...(done.newAddress ? await verifyAddress(exchange, flow.type, done.newAddress) : []),
      ...(flow.type === "browser" ? [goOnAt(exchange, flow, pageOf(flow))] : []),
    ];
    const saved: Step = {
      ...step,
      session: { ...fresh, token: session.token, from: session.from },
      flow: await change(
        step,
        {
          messages: [messages.saved],
          phase: "success",
          continueWith,
          ...done.change,
        },
        method,
      ),
    };
    return { page: flow.return_to ?? pageOf(flow), body: await bodyOf(settings, saved) };
  },
};

/** Has a code sent to a new address, and says where it is typed in. */
async function verifyAddress(
  exchange: Exchange,
  type: FlowType,
  address: Address,
): Promise<ContinueWith[]> {
  if (!sendsMail(exchange.config)) return [];
  const { ctx, config, request } = exchange;
  const { flow } = await openFlow(exchange, verification, {
    type,
    state: {
      phase: "sent_email",
      values: { email: address },
      kept: { code: { address } satisfies KeptCode },
    },
    messages: [messages.verificationCodeSent],
  });
  await ctx.tx((tx) => askForCode(tx, flow.id));
  const url = `${baseUrl(request, config)}${pageOf(flow)}`;
  return [
    { action: "show_verification_ui", flow: { id: flow.id, verifiable_address: address, url } },
  ];
}

const signInFirst = (returnTo: string | undefined) =>
  `${flowKinds.login.page}?${new URLSearchParams({ return_to: returnTo ?? flowKinds.settings.page }).toString()}`;

/** Who showed only one factor comes back to where they wanted to go. */
const afterSecondFactor = (returnTo: string | undefined) =>
  returnTo === undefined
    ? flowKinds.settings.page
    : `${flowKinds.settings.path}/browser?${new URLSearchParams({ return_to: returnTo }).toString()}`;

/** Where a browser confirms who it is, to come back to its form, which is sent on then. */
function confirmAddress({ request, config }: Exchange, flow: Flow): string {
  const returnTo =
    flow.type === "browser" ? `${flowKinds.settings.path}?flow=${flow.id}` : pageOf(flow);
  const query = new URLSearchParams({ refresh: "true", return_to: returnTo });
  return `${baseUrl(request, config)}${flowKinds.login.path}/browser?${query.toString()}`;
}
