import type { FastifyReply, FastifyRequest } from "fastify";
import { request as ask } from "undici";
import type { Config } from "#platform/config.ts";
import type { Ctx } from "#platform/context.ts";
import { notFound, unavailable } from "#platform/errors.ts";
import type { Http } from "#platform/http/route.ts";
import { baseUrl } from "../sessions/request-origin.ts";
import { forgetExternalSession, sessionBearer } from "./external-kratos.ts";

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
  const here = baseUrl(request, ctx.config);
  const addresses = addressesOf(here, identityUrl);
  const asked = identityUrl + path + addresses.inQuery(rest.slice(path.length));
  const { status, headers, content } = await fetchAnswer(request, ctx.config, asked);
  // Signing out, or becoming somebody else, counts at once.
  if (request.method !== "GET" || path.startsWith("/self-service/logout"))
    forgetExternalSession(ctx, request);
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
    else if (name === "location") reply.header(name, addresses.inAnswer(String(value)));
    else reply.header(name, value);
  }
  reply.header("cache-control", "no-store");
  return reply.send(isText ? addresses.inAnswer(content.toString()) : content);
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
  const { authorization } = request.headers;
  if (authorization !== undefined && sessionBearer.test(authorization))
    headers.authorization = authorization;
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

/**
 * Kratos knows itself by the address that it was told, and by the host that this server says the browser typed, without
 * /api/.ory, which it never sees. Clients find it below /api/.ory only. So its addresses are moved there on the way
 * out, and back on the way in: as they are, and as parameters of others (`return_to` in `redirect_browser_to`, and what
 * that returns to in turn).
 */
function addressesOf(here: string, identityUrl: string) {
  const mount = `${here}${PREFIX}`;
  const ends = ["/self-service/", "/sessions/", "/schemas/", "/.well-known/ory/"];
  const outward = [
    [`${identityUrl}/`, `${mount}/`] as const,
    ...ends.map((end) => [here + end, mount + end] as const),
  ];
  const inward = ends.flatMap((end) => [
    [mount + end, here + end] as const,
    // Said as a path, after the sign that begins a parameter's value.
    [`=${PREFIX}${end}`, `=${end}`] as const,
  ]);
  return {
    inAnswer: (text: string) => moveAll(text, outward),
    inQuery: (query: string) => moveAll(query, inward),
  };
}

/** How deep one address may lie in the parameters of others. */
const MAX_DEPTH = 4;

function moveAll(text: string, moves: readonly (readonly [from: string, to: string])[]): string {
  let moved = text;
  for (const [from, to] of moves) {
    let [spelled, replacement] = [from, to];
    for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
      moved = moved.replaceAll(spelled, replacement);
      // The sign before a path is the only one that is written as it is, whatever the depth.
      const outer = depth === 0 && from.startsWith("=") ? "=" : "";
      [spelled, replacement] = [spelled, replacement].map(
        (address) => outer + encodeURIComponent(address.slice(outer.length)),
      ) as [string, string];
    }
  }
  return moved;
}

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
