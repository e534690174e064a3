import { createHmac } from "node:crypto";
import type { FastifyReply } from "fastify";
import { isSameSecret } from "#platform/same-secret.ts";
import { forgetCsrfSecret } from "../flows/csrf.ts";
import { type Exchange, readFields, wantsPage } from "../flows/exchange.ts";
import { baseUrl, isSecure, ownOrigins } from "./request-origin.ts";
import { readReturnTo } from "../flows/return-to.ts";
import { malformed, noSession, SelfServiceError } from "../flows/self-service-error.ts";
import {
  cookieOptions,
  type Credential,
  revokeSession,
  type Session,
  SESSION_COOKIE,
  sessionOf,
} from "./sessions.ts";

/** Made from the session token, so that only who holds the session can know it and nothing has to be stored. */
const logoutToken = (sessionToken: string) =>
  createHmac("sha256", sessionToken).update("logout").digest("base64url");

/** The address, and the token in it, that sign this browser out. */
export async function startLogout(
  exchange: Exchange,
): Promise<{ logout_url: string; logout_token: string }> {
  const { config, request, query } = exchange;
  const token = logoutToken((await cookieSession(exchange)).token);
  const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
  const search = new URLSearchParams({ token, ...(returnTo ? { return_to: returnTo } : {}) });
  return {
    logout_url: `${baseUrl(request, config)}/api/.ory/self-service/logout?${search.toString()}`,
    logout_token: token,
  };
}

/** Signs this browser out. The token keeps other sites from doing it with a link. */
export async function logOut(exchange: Exchange): Promise<FastifyReply> {
  const { ctx, config, request, reply, query } = exchange;
  if (typeof query.token !== "string" || query.token === "")
    throw malformed("The query needs the logout token.");
  const session = await cookieSession(exchange);
  if (!isSameSecret(query.token, logoutToken(session.token))) {
    throw new SelfServiceError({
      status: 403,
      message: "The requested action was forbidden",
      reason: "The logout token does not belong to this session. Ask for a new one.",
    });
  }
  await revokeSession(ctx, session.token);
  const secure = isSecure(request, config);
  reply.clearCookie(SESSION_COOKIE, cookieOptions(secure));
  forgetCsrfSecret(reply, secure);
  // Signed out first: a bad address must not keep anybody signed in.
  const returnTo = readReturnTo(query.return_to, ownOrigins(request, config));
  return wantsPage(exchange) ? reply.redirect(returnTo ?? "/login", 303) : reply.status(204).send();
}

/** Ends the session of a program. A session that has ended already is fine, a token that never was one is not. */
export async function logOutApi(exchange: Exchange): Promise<FastifyReply> {
  const { session_token: token } = readFields(exchange) ?? {};
  if (typeof token !== "string") throw malformed("session_token is missing.");
  if (await revokeSession(exchange.ctx, token)) return exchange.reply.status(204).send();
  throw new SelfServiceError({
    status: 403,
    message: "The requested action was forbidden",
    reason: "There is no session with this session_token.",
  });
}

async function cookieSession({ ctx, request }: Exchange): Promise<Session & Credential> {
  const session = await sessionOf(ctx, request);
  if (session?.from !== "cookie") throw noSession();
  return session;
}
