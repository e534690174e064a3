import sql from "sql-template-tag";
import type { Tx } from "#platform/context.ts";
import { deviceKey, meetDevice } from "../sessions/devices.ts";
import { type Exchange, wantsPage } from "./exchange.ts";
import { endFlow, type Flow } from "./flow.ts";
import type { Completion } from "./kind-rules.ts";
import { sendsMail } from "../mail/mail.ts";
import { notify } from "../mail/notice-mail.ts";
import { recordSignIn } from "../sessions/record-sign-in.ts";
import { baseUrl, isSecure } from "../sessions/request-origin.ts";
import { locationChangeRequired } from "./self-service-error.ts";
import { toSessionBody } from "../sessions/session-body.ts";
import { goOnAt, secondFactorAddress } from "./signed-in.ts";
import {
  type AuthenticationMethod,
  cookieOptions,
  createSession,
  type Credential,
  findSession,
  forgetSessions,
  hashToken,
  lacksSecondFactor,
  type Session,
  SESSION_COOKIE,
} from "../sessions/sessions.ts";

interface SignIn {
  flow: Flow;
  /** Made in the transaction, or known before. */
  identify(tx: Tx): Promise<string | undefined>;
  methods: AuthenticationMethod[];
  before: (Session & Credential) | undefined;
}

class NotIdentified extends Error {}

export interface SignedIn {
  session: Session;
  token: string;
}

/**
 * Ends the flow and the session before it, and starts a session with a new token, all or nothing. Undefined when
 * another request has ended the flow first, or what was shown was used up, or the identity is no longer active.
 */
export async function signIn(exchange: Exchange, parts: SignIn): Promise<SignedIn | undefined> {
  const { ctx, config, request } = exchange;
  const { flow, identify, methods, before } = parts;
  const now = ctx.clock.now();
  const key = deviceKey(exchange, flow.type);
  const signingIn = ctx.tx(async (tx) => {
    if (!(await endFlow(tx, flow.id, now))) return undefined;
    const identityId = await identify(tx);
    // The flow lives on: what was shown was wrong, the form was not.
    if (identityId === undefined) throw new NotIdentified();
    if (before)
      await tx.run(
        sql`update identity_sessions set active = false where token_hash = ${hashToken(before.token)}`,
      );
    await recordSignIn(tx, identityId, now);
    const isNewDevice = await meetDevice(tx, { identityId, key, now });
    if (isNewDevice && sendsMail(config))
      await notify(tx, {
        identityId,
        subject: "New sign-in to your account",
        text: `Somebody signed in to your account from a device that was not used before: ${describe(exchange)}.`,
      });
    return await createSession(tx, {
      identityId,
      method: methods,
      device: {
        ip_address: request.ip,
        user_agent: (request.headers["user-agent"] ?? "").slice(0, 512),
        location: "",
      },
      now,
      lifespanMs: config.sessionLifespan,
    });
  });
  const created = await signingIn.catch((error: unknown) => {
    if (error instanceof NotIdentified) return undefined;
    throw error;
  });
  if (!created) return undefined;
  if (before) forgetSessions(ctx);
  // None when the identity was deactivated, or its person deleted, in the meantime.
  const session = await findSession(ctx, created.token);
  if (!session) return undefined;
  ctx.log.info({ identity: session.identity_id, session: session.id }, "signed in");
  return { session, token: created.token };
}

/** As the request says it; nobody vouches for it. */
function describe({ ctx, request }: Exchange): string {
  const program = (request.headers["user-agent"] ?? "").replaceAll(/\p{Cc}/gu, "").slice(0, 200);
  return `${program || "an unknown program"}, from ${request.ip}, at ${ctx.clock.now().toUTCString()}`;
}

export function setSessionCookie({ config, request, reply }: Exchange, token: string): void {
  reply.setCookie(SESSION_COOKIE, token, {
    ...cookieOptions(isSecure(request, config)),
    maxAge: Math.floor(config.sessionLifespan / 1000),
  });
}

/**
 * A session as a finished flow hands it out: a cookie for a browser, a token for a program. Who owes a second factor is
 * sent on to it, and told nothing about whose session it is.
 */
export function handOut(
  exchange: Exchange,
  flow: Flow,
  { session, token }: SignedIn,
  extras: { identity?: boolean } = {},
): Completion {
  const { request, config } = exchange;
  const body = toSessionBody(session, baseUrl(request, config));
  const identity = extras.identity ? { identity: body.identity } : {};
  if (flow.type === "api") return { reply: { session_token: token, session: body, ...identity } };
  setSessionCookie(exchange, token);
  if (lacksSecondFactor(session)) {
    const address = secondFactorAddress(request, config, flow.return_to ?? undefined);
    if (wantsPage(exchange)) return { page: address, body: undefined };
    throw locationChangeRequired(address);
  }
  if (wantsPage(exchange)) return { page: flow.return_to ?? "/", body: undefined };
  return { reply: { session: body, ...identity, continue_with: [goOnAt(exchange, flow)] } };
}
