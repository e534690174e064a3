import type { Connector } from "../connector.ts";
import type { TlsOptions } from "../tls.ts";
import { isHttp, readableAddress, splitUserInfo } from "./address.ts";
import { askAs } from "./authenticate.ts";
import type { HttpAuth, OAuth2Auth } from "./authorization.ts";
import { converse } from "./conversation.ts";
import type { CookieJar } from "./cookies.ts";
import { accessToken } from "./oauth2.ts";
import type { PhaseClock } from "./phases.ts";

/** A request that a document asks for. */
export interface HttpRequest {
  /** User-info in it is sent as Basic, in place of `auth`. */
  url: URL;
  auth?: HttpAuth;
  /** GET when absent. */
  method?: string;
  /** One of `authorization` wins over `auth`. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Of an HTTP proxy, which is asked for a tunnel. Those of the environment are not used. */
  proxy?: string;
  tls?: TlsOptions;
  /** 10 when absent, 0 for none. */
  maxRedirects?: number;
  /** Whether a redirect to there may be followed; any may when absent. */
  mayLead?: (address: URL) => boolean;
  /** Bytes of the body that are read; `mostBody` when absent. */
  mostBody?: number;
  /** What answers set is sent on, with redirects too. */
  cookies?: CookieJar;
  /** Secrets that were lent for it. */
  lent?: readonly string[];
}

export interface ExchangeOptions {
  /** Aborted when the time is over; nothing else keeps it. */
  signal: AbortSignal;
  connector: Connector;
  /** Told where the time goes. */
  phases?: PhaseClock | undefined;
}

/** The end of a request and of the redirects that it led through. */
export interface Exchange {
  code: number;
  /** What stood beside the code. */
  reason: string;
  /** Fit to be shown: as many as fit, without cookies. */
  headers: Record<string, string>;
  /** As far as it was read, decompressed. */
  body: Buffer;
  /** The body is longer than what was read. */
  isCut: boolean;
  elapsedMs: number;
  certificateEnds?: Date;
  /** Of the last request. */
  address: string;
  /** Tokens that were fetched on the way, and what was lent for it; they must not be shown either. */
  issued: readonly string[];
}

/** Bytes of a body that are read unless a request says otherwise, counted after decompression. */
export const mostBody = 10 * 1024 * 1024;
/** Of the headers, in characters, what an answer shows. */
const shownHeaders = 16_384;
const defaultRedirects = 10;

/** Headers that go along when a redirect leads to another origin; any other may carry a secret. */
const harmless = new Set([
  "accept",
  "accept-language",
  "accept-encoding",
  "user-agent",
  "content-type",
  "cache-control",
]);

interface Options extends ExchangeOptions {
  /** Tokens that were fetched on the way. */
  issued: string[];
}

/** One request on the way; its address has no user-info. */
interface Step {
  method: string;
  url: URL;
  auth?: HttpAuth;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** An address with who asks there: its user-info, or else `auth`. */
function place(address: URL, auth: HttpAuth | undefined): Pick<Step, "url" | "auth"> {
  const { url, credentials } = splitUserInfo(address);
  const used = credentials ? { kind: "basic" as const, ...credentials } : auth;
  return { url, ...(used && { auth: used }) };
}

function firstStep(request: HttpRequest): Step {
  const headers: Record<string, string> = { "user-agent": "mainstay", "accept-encoding": "gzip" };
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[name.toLowerCase()] = value;
  // A connection serves one request.
  delete headers.connection;
  delete headers["content-length"];
  delete headers["transfer-encoding"];
  return {
    ...place(request.url, request.auth),
    method: (request.method ?? "GET").toUpperCase(),
    headers,
    ...(request.body !== undefined && { body: request.body }),
  };
}

const redirects = new Set([301, 302, 303, 307, 308]);

/** The request that a redirect asks for. Nothing that may be a credential goes to another origin. */
function follow(step: Step, code: number, location: string): Step {
  if (!URL.canParse(location, step.url.href))
    throw new Error(`redirected to "${location.slice(0, 200)}", which is no address`);
  const next = new URL(location, step.url);
  if (!isHttp(next))
    throw new Error(`redirected to ${next.protocol} addresses, which are not followed`);
  const isSame = next.origin === step.url.origin;
  const toGet =
    step.method !== "HEAD" &&
    (code === 303 || ((code === 301 || code === 302) && step.method === "POST"));
  const headers = Object.fromEntries(
    Object.entries(step.headers).filter(
      ([name]) =>
        name !== "host" && (isSame || harmless.has(name)) && !(toGet && name === "content-type"),
    ),
  );
  return {
    // What the other side writes into the address of another origin is no credential of ours, and is not sent.
    ...(isSame ? place(next, step.auth) : { url: splitUserInfo(next).url }),
    method: toGet ? "GET" : step.method,
    headers,
    ...(!toGet && step.body !== undefined && { body: step.body }),
  };
}

/** The headers of an answer as they may be shown: as many as fit, without cookies. */
function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const shown: Record<string, string> = {};
  let room = shownHeaders;
  for (const [name, content] of Object.entries(headers)) {
    const text = Array.isArray(content) ? content.join(", ") : (content ?? "");
    room -= name.length + text.length;
    if (room < 0) break;
    shown[name] = name === "set-cookie" ? "[hidden]" : text;
  }
  return shown;
}

type Answer = Omit<Exchange, "elapsedMs" | "address" | "issued"> & {
  location?: string | undefined;
  challenges: readonly string[];
};

const first = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header[0] : header;

async function send(step: Step, request: HttpRequest, options: Options): Promise<Answer> {
  const { url, auth } = step;
  const tls = tlsFor(url, request);
  const talk = await converse({ url, proxy: request.proxy, tls, ...options });
  try {
    return await askAs(step.headers.authorization === undefined ? auth : undefined, {
      ...step,
      async send(headers, query) {
        const cookie = request.cookies?.header(url);
        const search = query === undefined ? url.search : query && `?${query}`;
        const said = await talk.ask({
          method: step.method,
          path: `${url.pathname}${search}`,
          headers: { ...headers, ...(cookie && { cookie }), ...step.headers },
          body: step.body,
          mostBody: request.mostBody ?? mostBody,
        });
        request.cookies?.take(url, said.headers["set-cookie"]);
        const challenges = said.headers["www-authenticate"] ?? [];
        return {
          ...said,
          location: first(said.headers.location),
          challenges: Array.isArray(challenges) ? challenges : [challenges],
          headers: flat(said.headers),
        };
      },
      connections: () => talk.connections(),
      token: (oauth2, refused) => tokenFor(oauth2, request, { ...options, refused }),
    });
  } finally {
    talk.end();
  }
}

/** The client's certificate is a credential too. */
const tlsFor = (url: URL, { url: own, tls }: HttpRequest): TlsOptions | undefined =>
  url.origin === own.origin ? tls : { ...tls, cert: undefined, key: undefined };

async function tokenFor(
  auth: OAuth2Auth,
  request: HttpRequest,
  { connector, signal, issued, refused }: Options & { refused: string | undefined },
): Promise<string> {
  const { proxy } = request;
  const tls = tlsFor(auth.tokenUrl, request);
  const token = await accessToken(auth, {
    connector,
    signal,
    refused,
    route: JSON.stringify([proxy, tls]),
    send: (asking, asked) => exchange({ ...asking, proxy, tls }, { connector, signal: asked }),
  });
  if (!issued.includes(token)) issued.push(token);
  return token;
}

/**
 * Sends a request and follows redirects, each over a socket of its own that the address policy judges. What goes wrong
 * on the way is thrown with a message fit to be shown; any code that is answered is an answer.
 */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<Exchange> {
  if (!isHttp(request.url)) throw new Error(`${request.url.protocol} is not an address of HTTP`);
  const started = performance.now();
  const most = request.maxRedirects ?? defaultRedirects;
  let step = firstStep(request);
  const issued = [...(request.lent ?? [])];
  for (let followed = 0; ; followed += 1) {
    const answer = await send(step, request, { ...options, issued });
    const { location, challenges: _challenges, ...shown } = answer;
    if (most === 0 || !redirects.has(answer.code) || location === undefined) {
      const elapsedMs = performance.now() - started;
      return { ...shown, elapsedMs, address: step.url.href, issued };
    }
    if (followed >= most) throw new Error(`redirected more than ${most} times`);
    const next = follow(step, answer.code, location);
    if (request.mayLead?.(next.url) === false)
      throw new Error(
        `redirected to ${readableAddress(next.url.href).slice(0, 200)}, which is not followed`,
      );
    step = next;
  }
}
