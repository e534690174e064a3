import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import type { Encryption } from "#platform/encryption.ts";
import type { SignInLimits } from "../password/attempt-limits.ts";

/** One request to the identity service and what its verbs need to answer it. */
export interface Exchange {
  ctx: Ctx;
  config: Config;
  request: FastifyRequest;
  reply: FastifyReply;
  query: Record<string, unknown>;
  limits: SignInLimits;
  encryption: Encryption;
}

/** A page asks for HTML and is led by redirects; a program asks for JSON. */
export function wantsPage({ request }: Exchange): boolean {
  const accept = request.headers.accept ?? "";
  return accept.includes("text/html") && !accept.includes("application/json");
}

/** The fields that were sent, from JSON or from a plain HTML form; nothing when there are none to be read. */
export function readFields({ request }: Exchange): Record<string, unknown> | undefined {
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]!.trim().toLowerCase();
  const { body } = request;
  if (type === "application/x-www-form-urlencoded" && typeof body === "string") {
    return Object.fromEntries(new URLSearchParams(body));
  }
  if (
    type === "application/json" &&
    typeof body === "object" &&
    body !== null &&
    !Array.isArray(body)
  ) {
    return body as Record<string, unknown>;
  }
  return undefined;
}
