import { createHash, createHmac, randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isSameSecret } from "#platform/same-secret.ts";

/**
 * Double submit: a cookie holds a secret of this browser, a flow holds the secret's hash and shows a token made from
 * secret and flow id. Only a page that could read the flow knows the token, and it is good for that flow and browser.
 */

const COOKIE = "csrf_token_mainstay";
const YEAR_SECONDS = 365 * 24 * 3600;

/** The secret of this browser, a new one when it has none. */
export function csrfSecret(request: FastifyRequest, reply: FastifyReply, secure: boolean): string {
  const secret = readSecret(request) ?? randomBytes(32).toString("base64url");
  reply.setCookie(COOKIE, secret, {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure,
    maxAge: YEAR_SECONDS,
  });
  return secret;
}

export function forgetCsrfSecret(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(COOKIE, { path: "/", httpOnly: true, sameSite: "lax", secure });
}

export function readSecret(request: FastifyRequest): string | undefined {
  const value = request.cookies[COOKIE];
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

export const csrfHash = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex");

export const csrfToken = (secret: string, flowId: string): string =>
  createHmac("sha256", secret).update(flowId).digest("base64url");

/** Whether the flow was started by the browser that asks. */
export function isFlowOwner(request: FastifyRequest, hash: string | null): boolean {
  const secret = readSecret(request);
  return secret !== undefined && hash !== null && isSameSecret(csrfHash(secret), hash);
}

export function isCsrfToken(request: FastifyRequest, flowId: string, token: unknown): boolean {
  const secret = readSecret(request);
  return (
    secret !== undefined &&
    typeof token === "string" &&
    isSameSecret(csrfToken(secret, flowId), token)
  );
}
