import type { FastifyReply } from "fastify";
import { recordSignIn } from "#features/people/index.ts";
import { isCsrfToken, isFlowOwner, readSecret } from "./csrf.ts";
import { type Exchange, readFields, wantsPage } from "./exchange.ts";
import { endFlow, findFlow, type Flow, saveFlowState } from "./flow.ts";
import type { LoginFlowBody, LoginState } from "./login-flow.ts";
import { messages, type UiText } from "./messages.ts";
import { type Refusal, signInWithPassword } from "./password-method.ts";
import { baseUrl, isSameSite, isSecure } from "./request-origin.ts";
import {
  alreadySignedIn,
  csrfViolation,
  firstFactorRequired,
  malformed,
  notLocated,
  SelfServiceError,
} from "./self-service-error.ts";
import { type IdentityBody, type SessionBody, toSessionBody } from "./session-body.ts";
import {
  type Credential,
  cookieOptions,
  createSession,
  findSession,
  forgetSessions,
  hashToken,
  type Session,
  SESSION_COOKIE,
  SESSION_LIFESPAN_MS,
  sessionOf,
} from "./sessions.ts";
import { isReached, openLoginFlow, show } from "./start-login.ts";
import sql from "sql-template-tag";

export interface SignedIn {
  session: SessionBody;
  /** API flows only: a browser gets a cookie. */
  session_token?: string;
  identity?: IdentityBody;
}

/** Takes what was filled into a login flow; a good answer is a session, a bad one the flow with what is wrong. */
export async function submitLogin(exchange: Exchange): Promise<SignedIn | FastifyReply> {
  const { ctx, request, reply, query } = exchange;
  const flow = await findFlow<LoginState>(ctx.db, "login", query.flow);
  if (!flow) throw notLocated("login flow");
  const fields = readFields(exchange);
  assertOwnRequest(exchange, flow, fields);

  const session = await sessionOf(ctx, request);
  const asked = { refresh: flow.state.refresh, aal: flow.state.requested_aal };
  if (session && isReached(asked, session)) {
    if (wantsPage(exchange)) return reply.redirect(flow.return_to ?? "/", 303);
    throw alreadySignedIn();
  }
  if (flow.expires_at <= ctx.clock.now()) return await replaceExpired(exchange, flow, session);
  if (asked.aal === "aal2" && !session) throw firstFactorRequired();
  if (asked.aal === "aal2" || fields.method !== "password") {
    return await refuse(exchange, flow, { messages: [messages.noMethod] });
  }
  const outcome = await signInWithPassword(exchange, fields);
  if ("refusal" in outcome)
    return await refuse(exchange, flow, outcome.refusal, outcome.identifier);
  return await complete(exchange, flow, outcome.identityId, session);
}

/** Browser flows need their cookie, their token and a page of ours; API flows must not come from a browser at all. */
function assertOwnRequest(
  { request, config }: Exchange,
  flow: Flow<LoginState>,
  fields: Record<string, unknown>,
): void {
  if (flow.type === "api") {
    const { cookie, origin, "sec-fetch-site": fetchSite } = request.headers;
    if (cookie === undefined && origin === undefined && fetchSite === undefined) return;
    throw malformed(
      "The flow was started for a program, but a browser sent this (it has a Cookie, Origin or Sec-Fetch-Site header).",
    );
  }
  if (!isSameSite(request, config))
    throw csrfViolation(
      "The request came from another site. If the console is open at its own address, set PUBLIC_URL to it.",
    );
  if (!isFlowOwner(request, flow.csrf_hash) || !isCsrfToken(request, flow.id, fields.csrf_token)) {
    throw csrfViolation(
      "The form's csrf_token does not belong to this browser and flow. Start again, with cookies allowed.",
    );
  }
}

async function replaceExpired(
  exchange: Exchange,
  flow: Flow<LoginState>,
  session: Session | undefined,
): Promise<FastifyReply> {
  const { ctx, reply } = exchange;
  const fresh = await openLoginFlow(exchange, {
    type: flow.type,
    asked: { refresh: flow.state.refresh, aal: flow.state.requested_aal },
    session,
    returnTo: flow.return_to ?? undefined,
    notice: messages.flowExpired(flow.expires_at),
  });
  if (wantsPage(exchange)) return reply.redirect(`/login?flow=${fresh.id}`, 303);
  throw new SelfServiceError({
    status: 410,
    id: "self_service_flow_expired",
    message: "The flow has expired",
    reason: "The login flow has expired or was completed. Go on with the flow in use_flow_id.",
    extras: {
      use_flow_id: fresh.id,
      expired_at: flow.expires_at,
      since: (ctx.clock.now().getTime() - flow.expires_at.getTime()) * 1e6,
    },
  });
}

async function refuse(
  exchange: Exchange,
  flow: Flow<LoginState>,
  refusal: Refusal,
  identifier = flow.state.identifier,
): Promise<FastifyReply> {
  const { ctx, request, reply } = exchange;
  const state: LoginState = {
    ...flow.state,
    active: "password",
    identifier: flow.state.refresh ? flow.state.identifier : identifier,
    messages: refusal.messages ?? ([] satisfies UiText[]),
    field_messages: refusal.fieldMessages ?? {},
  };
  const saved = await saveFlowState(ctx.db, flow, state, ctx.clock.now());
  if (refusal.retryAfter) reply.header("retry-after", String(refusal.retryAfter));
  if (wantsPage(exchange)) return reply.redirect(`/login?flow=${flow.id}`, 303);
  const body: LoginFlowBody = show(
    exchange,
    saved,
    flow.type === "browser" ? readSecret(request) : undefined,
  );
  return reply.status(400).send(body);
}

/** Ends the flow and the session before it, and starts a session with a new token, all or nothing. */
async function complete(
  exchange: Exchange,
  flow: Flow<LoginState>,
  identityId: string,
  before: (Session & Credential) | undefined,
): Promise<SignedIn | FastifyReply> {
  const { ctx, config, request, reply } = exchange;
  const now = ctx.clock.now();
  const created = await ctx.tx(async (tx) => {
    if (!(await endFlow(tx, flow.id, now))) return undefined;
    if (before)
      await tx.run(
        sql`update identity_sessions set active = false where token_hash = ${hashToken(before.token)}`,
      );
    await recordSignIn(tx, identityId, now);
    const device = {
      ip_address: request.ip,
      user_agent: (request.headers["user-agent"] ?? "").slice(0, 512),
      location: "",
    };
    return await createSession(tx, { identityId, method: "password", device, now });
  });
  if (!created) return await replaceExpired(exchange, { ...flow, expires_at: now }, before);
  if (before) forgetSessions(ctx.db);

  const session = await findSession(ctx, created.token);
  // The identity was deactivated, or its person deleted, in the blink between password and session.
  if (!session) return await replaceExpired(exchange, { ...flow, expires_at: now }, undefined);
  ctx.log.info({ identity: identityId, session: session.id }, "signed in");
  const body = toSessionBody(session, baseUrl(request, config));
  if (flow.type === "api")
    return { session_token: created.token, session: body, identity: body.identity };
  reply.setCookie(SESSION_COOKIE, created.token, {
    ...cookieOptions(isSecure(request, config)),
    maxAge: SESSION_LIFESPAN_MS / 1000,
  });
  if (wantsPage(exchange)) return reply.redirect(flow.return_to ?? "/", 303);
  return { session: body };
}
