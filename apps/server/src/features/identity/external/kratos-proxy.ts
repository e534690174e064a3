import type { FastifyReply, FastifyRequest } from "fastify";
import { request as ask } from "undici";
import type { Config } from "#platform/config.ts";
import { notFound, unavailable } from "#platform/errors.ts";
import type { Http } from "#platform/http/route.ts";

const PREFIX = "/api/.ory";
const BODY_LIMIT = 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** What clients need of it; its other endpoints are not for browsers. */
const served = /^\/(self-service|sessions|schemas|\.well-known\/ory)(\/[\w\-./]*)?$/;

const sentOn = [
  "accept",
  "accept-language",
  "content-type",
  "cookie",
  "origin",
  "referer",
  "sec-fetch-site",
  "user-agent",
  "x-session-token",
] as const;
const notSentBack = new Set(["connection", "content-length", "keep-alive", "transfer-encoding"]);

/** Sends everything below /api/.ory on to the Kratos that stands in for the built-in service. */
export function kratosProxy(http: Http, config: Config, identityUrl: string): void {
  const access = "public";
  const forward = ({ request, reply }: { request: FastifyRequest; reply: FastifyReply }) =>
    send(request, reply, config, identityUrl);
  const path = `${PREFIX}/*`;
  http.get(path, { access }, forward);
  http.post(path, { access, bodyLimit: BODY_LIMIT }, forward);
  http.put(path, { access, bodyLimit: BODY_LIMIT }, forward);
  http.patch(path, { access, bodyLimit: BODY_LIMIT }, forward);
  http.delete(path, { access, bodyLimit: BODY_LIMIT }, forward);
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  config: Config,
  identityUrl: string,
): Promise<FastifyReply> {
  const rest = request.url.slice(PREFIX.length);
  const path = rest.split("?", 1)[0]!;
  if (!served.test(path) || path.split("/").includes(".."))
    throw notFound(`There is nothing at ${request.method} ${PREFIX}${path}.`);
  const headers: Record<string, string> = {
    // Kratos builds its addresses from these.
    "x-forwarded-proto": config.publicUrl
      ? new URL(config.publicUrl).protocol.slice(0, -1)
      : request.protocol,
    "x-forwarded-host": config.publicUrl ? new URL(config.publicUrl).host : request.host,
    "x-forwarded-for": request.ip,
  };
  for (const name of sentOn) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const { body } = request;
  const hasBody = body !== undefined && body !== null && request.method !== "GET";
  let answer: Awaited<ReturnType<typeof ask>>;
  let content: ArrayBuffer;
  try {
    answer = await ask(identityUrl + rest, {
      method: request.method as "GET",
      headers,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
    });
    content = await answer.body.arrayBuffer();
  } catch (error) {
    throw unavailable("The identity service does not answer. Please try again.", error);
  }
  reply.status(answer.statusCode);
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !notSentBack.has(name)) reply.header(name, value);
  reply.header("cache-control", "no-store");
  return reply.send(Buffer.from(content));
}
