import type { FastifyReply, FastifyRequest } from "fastify";
import { request as ask } from "undici";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { notFound, unavailable } from "#platform/errors.ts";
import type { Http } from "#platform/http/route.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { forgetExternalSession } from "./external-kratos.ts";

const PREFIX = "/api/.ory";
const BODY_LIMIT = 1024 * 1024;
const ANSWER_LIMIT = 4 * 1024 * 1024;
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
/** Whatever else it answers is between it and this server: what other origins may do here is not its to say. */
const sentBack = [
  "content-language",
  "content-type",
  "location",
  "retry-after",
  "set-cookie",
  "x-kratos-authenticated-identity-id",
] as const;

/** Sends everything below /api/.ory on to the Kratos that stands in for the built-in service. */
export function kratosProxy(http: Http, ctx: Ctx, identityUrl: string): void {
  const access = "public";
  const forward = ({ request, reply }: { request: FastifyRequest; reply: FastifyReply }) =>
    send(request, reply, ctx, identityUrl);
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
  ctx: Ctx,
  identityUrl: string,
): Promise<FastifyReply> {
  const rest = request.url.slice(PREFIX.length);
  const path = rest.split("?", 1)[0]!;
  if (!served.test(path) || path.split("/").includes(".."))
    throw notFound(`There is nothing at ${request.method} ${PREFIX}${path}.`);
  const { status, headers, content } = await fetchAnswer(request, ctx.config, identityUrl + rest);
  // Signing out, or becoming somebody else, counts at once.
  if (request.method !== "GET" || path.startsWith("/self-service/logout"))
    forgetExternalSession(ctx, request);
  const here = baseUrl(request, ctx.config);
  const address = `${here}${PREFIX}`;
  const type = String(headers["content-type"] ?? "");
  const isText = /^(application\/json|text\/)/.test(type);
  // What a gateway in front of it says is for nobody here.
  if (status >= 500 && !type.startsWith("application/json"))
    throw unavailable("The identity service is in trouble. Please try again.");
  reply.status(status);
  for (const name of sentBack) {
    const value = headers[name];
    if (value === undefined) continue;
    if (name === "set-cookie") reply.header(name, ownCookies(value, here));
    else if (name === "location") reply.header(name, moved(String(value), identityUrl, address));
    else reply.header(name, value);
  }
  reply.header("cache-control", "no-store");
  return reply.send(isText ? moved(content.toString(), identityUrl, address) : content);
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  content: Buffer;
}

async function fetchAnswer(
  request: FastifyRequest,
  config: Config,
  address: string,
): Promise<Answer> {
  const { protocol, host } = new URL(baseUrl(request, config));
  const headers: Record<string, string> = {
    // Kratos builds its addresses from these.
    "x-forwarded-proto": protocol.slice(0, -1),
    "x-forwarded-host": host,
    "x-forwarded-for": request.ip,
  };
  for (const name of sentOn) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const { body } = request;
  const hasBody = body !== undefined && body !== null && request.method !== "GET";
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const answer = await ask(address, {
      method: request.method as "GET",
      headers,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
    });
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > ANSWER_LIMIT) throw new Error(`it sent more than ${ANSWER_LIMIT} bytes`);
      chunks.push(chunk);
    }
    return { status: answer.statusCode, headers: answer.headers, content: Buffer.concat(chunks) };
  } catch (error) {
    throw unavailable("The identity service does not answer. Please try again.", error);
  }
}

/** A Kratos that was told another address of its own names that; clients find it here. */
const moved = (text: string, from: string, to: string): string =>
  text.replaceAll(`${from}/`, `${to}/`);

/** Cookies for a domain that is not this server's would be dropped by the browser; they are made this host's own. */
function ownCookies(lines: string | string[], here: string): string[] {
  const { hostname } = new URL(here);
  return [lines].flat().map((line) =>
    line.replace(/;\s*domain=\.?([^;]*)/i, (attribute, domain: string) => {
      const wanted = domain.trim().toLowerCase();
      return hostname === wanted || hostname.endsWith(`.${wanted}`) ? attribute : "";
    }),
  );
}
