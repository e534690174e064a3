import type { FastifyReply, FastifyRequest } from "fastify";

/** Origins besides the server's own. */
export interface OtherOrigins {
  /** That the console asks. */
  asked?: readonly string[];
  /** Where a console is open that asks here, with a token. */
  consoles?: readonly string[];
}

const allowed: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers":
    "authorization, content-type, accept, prefer, range, range-unit, if-none-match, last-event-id, x-request-id",
  "access-control-max-age": "600",
};

/**
 * Lets pages of the named origins read answers: a console that is open elsewhere and comes with a bearer token. Cookies
 * are not let through. True when the request was a browser's question whether it may ask, and is answered.
 */
export function answerOtherOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: readonly string[],
): boolean {
  if (origins.length === 0) return false;
  reply.header("vary", "origin");
  const { origin } = request.headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  reply.header("access-control-allow-origin", origin);
  reply.header(
    "access-control-expose-headers",
    "content-range, etag, lists-cut, location, retry-after, x-request-id",
  );
  reply.header("cross-origin-resource-policy", "cross-origin");
  const isQuestion =
    request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  if (!isQuestion) return false;
  void reply.headers(allowed).status(204).send();
  return true;
}
