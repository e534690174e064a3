import { Client, errors } from "undici";
import type { Connector } from "../connector.ts";
import { describeNetworkError } from "../network-errors.ts";
import { certificateEnds, type TlsOptions } from "../tls.ts";
import { isHttp, placeOf, splitUserInfo } from "./address.ts";
import { authorization, type HttpAuth } from "./authorization.ts";
import { open } from "./open.ts";
import { readBody } from "./read-body.ts";

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
  /** Bytes of the body that are read; `mostBody` when absent. */
  mostBody?: number;
}

export interface ExchangeOptions {
  /** Aborted when the time is over; nothing else keeps it. */
  signal: AbortSignal;
  connector: Connector;
}

/** The end of a request and of the redirects that it led through. */
export interface Exchange {
  code: number;
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
}

/** Bytes of a body that are read unless a request says otherwise, counted after decompression. */
export const mostBody = 10 * 1024 * 1024;
const mostHeaders = 65_536;
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

type Answer = Omit<Exchange, "elapsedMs" | "address"> & { location?: string };

async function send(
  step: Step,
  request: HttpRequest,
  { signal, connector }: ExchangeOptions,
): Promise<Answer> {
  const { url, auth } = step;
  // The client's certificate is a credential too.
  const isFirst = url.origin === request.url.origin;
  const tls = isFirst ? request.tls : { ...request.tls, cert: undefined, key: undefined };
  const socket = await open({ url, proxy: request.proxy, tls, signal, connector });
  const client = new Client(url.origin, {
    maxHeaderSize: mostHeaders,
    // Time is kept by the signal alone.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Later, as a socket that is still connecting would: the client does not expect an answer while it asks.
    connect: (_options, done) => setImmediate(done, null, socket),
  });
  try {
    const response = await client.request({
      method: step.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...(auth && { authorization: authorization(auth) }), ...step.headers },
      body: step.body ?? null,
      signal,
    });
    const ends = certificateEnds(socket);
    const encoding = response.headers["content-encoding"];
    const location = response.headers.location;
    const { body, isCut } = await readBody(response.body, {
      encoding: Array.isArray(encoding) ? encoding[0] : encoding,
      most: request.mostBody ?? mostBody,
    });
    return {
      code: response.statusCode,
      location: Array.isArray(location) ? location[0] : location,
      headers: flat(response.headers),
      body,
      isCut,
      ...(ends && { certificateEnds: ends }),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof errors.HTTPParserError) {
      throw new Error(`${placeOf(url)} does not answer in HTTP`, { cause: error });
    }
    throw describeNetworkError(error, placeOf(url));
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
    await client.destroy();
  }
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
  for (let followed = 0; ; followed += 1) {
    const { location, ...answer } = await send(step, request, options);
    if (most === 0 || !redirects.has(answer.code) || location === undefined) {
      return { ...answer, elapsedMs: performance.now() - started, address: step.url.href };
    }
    if (followed >= most) throw new Error(`redirected more than ${most} times`);
    step = follow(step, answer.code, location);
  }
}
