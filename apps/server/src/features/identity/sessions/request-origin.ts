import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import type { Config } from "#platform/config.ts";
import { forbidden, invalid } from "#platform/errors.ts";

/** Where this request believes it is: behind a proxy only as far as TRUST_PROXY believes it. */
function requestOrigin(request: FastifyRequest): string {
  const origin = `${request.protocol}://${request.host}`;
  if (!hostShape.test(request.host) || !URL.canParse(origin))
    throw invalid("The Host header of the request is no address of a server.");
  return origin;
}

const hostShape = /^[\w.:%[\]-]+$/;

/** The address of this server in what it tells clients: PUBLIC_URL, else what the client typed. */
export function baseUrl(request: FastifyRequest, config: Pick<Config, "publicUrl">): string {
  return config.publicUrl ? new URL(config.publicUrl).origin : requestOrigin(request);
}

/** Every origin under which this server may be open in a browser. */
export function ownOrigins(request: FastifyRequest, config: Pick<Config, "publicUrl">): string[] {
  return [...new Set([baseUrl(request, config), requestOrigin(request)])];
}

export function isSecure(request: FastifyRequest, config: Pick<Config, "publicUrl">): boolean {
  return request.protocol === "https" || (config.publicUrl?.startsWith("https:") ?? false);
}

/**
 * Whether a request that changes something was sent by a page of this server, or by no page at all. Browsers add
 * these headers themselves and pages cannot forge them; a client that is no browser sends neither.
 */
export function isSameSite(request: FastifyRequest, config: Pick<Config, "publicUrl">): boolean {
  const fetchSite = request.headers["sec-fetch-site"];
  if (fetchSite === "same-origin" || fetchSite === "none") return true;
  const { origin, referer } = request.headers;
  if (origin !== undefined) return ownOrigins(request, config).includes(origin);
  if (fetchSite !== undefined) return false;
  if (referer === undefined) return true;
  return URL.canParse(referer) && ownOrigins(request, config).includes(new URL(referer).origin);
}

const harmless = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses what another site makes a browser send in its user's name. For requests whose session came from a cookie;
 * a token in a header cannot be sent by another site.
 */
export function assertSameSite(request: FastifyRequest, config: Pick<Config, "publicUrl">): void {
  if (harmless.has(request.method) || isSameSite(request, config)) return;
  throw forbidden(
    "The request came from another site and was refused. Open the console at its own address; if this is its address, set PUBLIC_URL to it.",
  );
}

/**
 * The same for a GET that leaves something behind, which a link can set off: on another site, in a mail, in a plain-http
 * page that says nothing of where it comes from. Taken is what only a page of ours, or a program that is no browser's,
 * can send: a credential in a header that browsers do not fill in by themselves, or a word of where it comes from.
 */
export function assertAskedHere(request: FastifyRequest, config: Pick<Config, "publicUrl">): void {
  const { authorization, origin, referer, "sec-fetch-site": fetchSite } = request.headers;
  if (request.headers["x-session-token"] !== undefined) return;
  // Basic credentials are remembered by browsers, and sent along with every link.
  if (/^bearer /i.test(authorization ?? "")) return;
  if (fetchSite !== undefined ? fetchSite === "same-origin" : isOwn(origin ?? referer)) return;
  throw forbidden(
    "The request may have been a link on another site and was refused. Open the console and do it there, or ask with POST.",
  );
  function isOwn(from: string | undefined): boolean {
    return (
      from !== undefined &&
      URL.canParse(from) &&
      ownOrigins(request, config).includes(new URL(from).origin)
    );
  }
}

/**
 * The same where nobody signs in, so that nothing but its place tells our page from any other. A name that was not set
 * counts only when it is this machine's own: anybody's name can be made to lead here.
 */
export function assertOwnPage(request: FastifyRequest, config: Pick<Config, "publicUrl">): void {
  if (harmless.has(request.method)) return;
  assertSameSite(request, config);
  const { origin } = request.headers;
  if (origin === undefined || origin === config.publicUrl) return;
  const { hostname } = new URL(origin);
  if (hostname === "localhost" || ipaddr.isValid(hostname.replace(/^\[(.*)\]$/, "$1"))) return;
  throw forbidden(
    "The request came from a page whose name this server does not know. If this is its name, set PUBLIC_URL to its address.",
  );
}
