import type { FastifyReply } from "fastify";
import { csrfHash, csrfSecret, csrfToken } from "./csrf.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import { type Flow, type FlowType, insertFlow } from "./flow.ts";
import {
  type AssuranceLevel,
  assuranceLevels,
  type LoginFlowBody,
  type LoginState,
  toLoginFlowBody,
} from "./login-flow.ts";
import { messages, type UiText } from "./messages.ts";
import { baseUrl, isSecure, ownOrigins } from "./request-origin.ts";
import { readReturnTo } from "./return-to.ts";
import {
  alreadySignedIn,
  firstFactorRequired,
  malformed,
  tooManyFlows,
} from "./self-service-error.ts";
import { type Session, sessionOf } from "./sessions.ts";

/** Starts to sign in, for a browser: the flow itself for a program, the sign-in page for a person. */
export async function startBrowserLogin(exchange: Exchange): Promise<LoginFlowBody | FastifyReply> {
  const { ctx, config, request, reply, query } = exchange;
  const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
  const session = await sessionOf(ctx, request);
  const asked = readAsked(query);
  if (session && isReached(asked, session)) {
    if (wantsPage(exchange)) return reply.redirect(returnTo ?? "/", 303);
    throw alreadySignedIn();
  }
  const flow = await openLoginFlow(exchange, { type: "browser", asked, session, returnTo });
  if (wantsPage(exchange)) return reply.redirect(`/login?flow=${flow.id}`, 303);
  return flow;
}

/** Starts to sign in, for a program without cookies. */
export async function startApiLogin(exchange: Exchange): Promise<LoginFlowBody> {
  const session = await sessionOf(exchange.ctx, exchange.request);
  const asked = readAsked(exchange.query);
  if (session && isReached(asked, session)) throw alreadySignedIn();
  return await openLoginFlow(exchange, { type: "api", asked, session });
}

interface Asked {
  refresh: boolean;
  aal: AssuranceLevel;
}

function readAsked(query: Record<string, unknown>): Asked {
  const aal = query.aal || "aal1";
  const known = assuranceLevels.find((level) => level === aal);
  if (!known) throw malformed(`aal must be ${assuranceLevels.join(" or ")}.`);
  return { refresh: query.refresh === "true", aal: known };
}

/** Whether signing in would bring nothing. */
export const isReached = (asked: Asked, session: Session): boolean =>
  !asked.refresh && asked.aal <= session.aal;

interface LoginOpening {
  type: FlowType;
  asked: Asked;
  session: Session | undefined;
  returnTo?: string;
  /** Said at the top of the form. */
  notice?: UiText;
}

/** Writes a new login flow and gives its browser the cookie it is bound to. */
export async function openLoginFlow(
  exchange: Exchange,
  opening: LoginOpening,
): Promise<LoginFlowBody> {
  const { ctx, config, request, reply, limits } = exchange;
  const { type, asked, session, returnTo, notice } = opening;
  if (asked.aal === "aal2" && !session) throw firstFactorRequired();
  const wait = limits.takeFlow(request.ip);
  if (wait > 0) throw tooManyFlows(wait);
  const refresh = asked.refresh && session !== undefined;
  const state: LoginState = {
    refresh,
    requested_aal: asked.aal,
    request_url: `${baseUrl(request, config)}${request.url}`.slice(0, 4096),
    ...(refresh ? { identifier: session.identity.traits.email ?? "" } : {}),
    messages: [
      ...(notice ? [notice] : []),
      ...(refresh ? [messages.confirmIdentity] : []),
      ...(asked.aal === "aal2" ? [messages.secondFactor] : []),
    ],
    field_messages: {},
  };
  const secret =
    type === "browser" ? csrfSecret(request, reply, isSecure(request, config)) : undefined;
  const flow = await insertFlow(ctx.db, {
    kind: "login",
    type,
    state,
    csrfHash: secret ? csrfHash(secret) : null,
    returnTo: returnTo ?? null,
    now: ctx.clock.now(),
  });
  return show(exchange, flow, secret);
}

export function show(
  { request, config }: Exchange,
  flow: Flow<LoginState>,
  secret: string | undefined,
): LoginFlowBody {
  return toLoginFlowBody(flow, {
    baseUrl: baseUrl(request, config),
    csrfToken: secret ? csrfToken(secret, flow.id) : "",
  });
}
