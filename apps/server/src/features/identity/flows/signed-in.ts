import type { FastifyRequest } from "fastify";
import type { Config } from "#platform/config.ts";
import type { Exchange } from "./exchange.ts";
import type { ContinueWith, Flow } from "./flow.ts";
import { flowKinds } from "./flow-kinds.ts";
import { baseUrl, isSameSite } from "../sessions/request-origin.ts";
import { csrfViolation, noSession, secondFactorRequired } from "./self-service-error.ts";
import {
  type Credential,
  lacksSecondFactor,
  readCredential,
  type Session,
  sessionOf,
} from "../sessions/sessions.ts";

/** Where a browser shows its second factor, and then goes on. */
export function secondFactorAddress(
  request: FastifyRequest,
  config: Pick<Config, "publicUrl">,
  returnTo?: string,
): string {
  const query = new URLSearchParams({ aal: "aal2", ...(returnTo ? { return_to: returnTo } : {}) });
  return `${baseUrl(request, config)}${flowKinds.login.path}/browser?${query.toString()}`;
}

/** Where a browser goes once its flow has succeeded. */
export const goOnAt = (
  { request, config }: Exchange,
  { return_to: returnTo }: Pick<Flow, "return_to">,
  otherwise = "/",
): ContinueWith => ({
  action: "redirect_browser_to",
  redirect_browser_to: new URL(returnTo ?? otherwise, baseUrl(request, config)).href,
});

/** The session of who asks, with every factor they have. */
export async function requireSession(
  { ctx, config, request }: Exchange,
  returnTo?: string,
): Promise<Session & Credential> {
  const session = await sessionOf(ctx, request);
  if (!session) throw noSession();
  if (lacksSecondFactor(session))
    throw secondFactorRequired(secondFactorAddress(request, config, returnTo));
  return session;
}

/** The same, for what changes something: not in the name of somebody whom another site makes ask. */
export async function requireOwnSession(exchange: Exchange): Promise<Session & Credential> {
  const session = await requireSession(exchange);
  requireOwnPage(exchange);
  return session;
}

/** A credential in a header cannot be sent by another site; a cookie can. */
export function requireOwnPage({ request, config }: Exchange): void {
  if (readCredential(request)?.from !== "cookie" || isSameSite(request, config)) return;
  throw csrfViolation(
    "The request came from another site. If the console is open at its own address, set PUBLIC_URL to it.",
  );
}
