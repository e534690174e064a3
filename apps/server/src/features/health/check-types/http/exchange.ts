import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import type { EnvVar, HttpSpec } from "@mainstay/contract";
import { Client, errors } from "undici";
import type { Connector } from "#platform/outbound/connector.ts";
import { describeNetworkError, placeName } from "#platform/outbound/network-errors.ts";
import { certificateEnds, hostOf, open, portOf, type TlsOptions } from "./open.ts";
import { splitUserInfo, type Target } from "./target.ts";

/** The end of a request and of the redirects that it led through. */
export interface Exchange {
  code: number;
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

/** Bytes of a body that are read, counted after decompression. */
export const mostBody = 10 * 1024 * 1024;
const mostHeaders = 65_536;
/** Of the headers, in characters, what a result shows. */
const shownHeaders = 16_384;
const defaultRedirects = 10;

/** Headers of a document that go along when a redirect leads to another origin; any other may carry a secret. */
const harmless = new Set([
  "accept",
  "accept-language",
  "accept-encoding",
  "user-agent",
  "content-type",
  "cache-control",
]);

const value = (source: EnvVar | undefined) => source?.value;

interface Request {
  method: string;
  target: Target;
  headers: Record<string, string>;
  body?: string;
}

interface ExchangeInput {
  target: Target;
  spec: HttpSpec;
  signal: AbortSignal;
  connector: Connector;
}

function firstRequest({ target, spec }: ExchangeInput): Request {
  const headers: Record<string, string> = { "user-agent": "mainstay", "accept-encoding": "gzip" };
  for (const header of spec.headers ?? []) headers[header.name.toLowerCase()] = header.value ?? "";
  // A connection serves one request.
  delete headers.connection;
  delete headers["content-length"];
  delete headers["transfer-encoding"];
  return { method: (spec.method ?? "GET").toUpperCase(), target, headers, body: spec.body };
}

const redirects = new Set([301, 302, 303, 307, 308]);

/** The request that a redirect asks for. Nothing that may be a credential goes to another origin. */
function follow(request: Request, code: number, location: string): Request {
  if (!URL.canParse(location, request.target.url.href))
    throw new Error(`redirected to "${location.slice(0, 200)}", which is no address`);
  const next = splitUserInfo(new URL(location, request.target.url));
  if (next.url.protocol !== "http:" && next.url.protocol !== "https:") {
    throw new Error(`redirected to ${next.url.protocol} addresses, which are not followed`);
  }
  const isSame = next.url.origin === request.target.url.origin;
  const toGet =
    request.method !== "HEAD" &&
    (code === 303 || ((code === 301 || code === 302) && request.method === "POST"));
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) =>
        name !== "host" && (isSame || harmless.has(name)) && !(toGet && name === "content-type"),
    ),
  );
  return {
    method: toGet ? "GET" : request.method,
    target: isSame
      ? { ...next, credentials: next.credentials ?? request.target.credentials }
      : { url: next.url },
    headers,
    body: toGet ? undefined : request.body,
  };
}

const decoders: Record<string, () => NodeJS.ReadWriteStream & { destroy(): void }> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Reads a body up to the limit and lets go of the rest. */
async function readBody(
  stream: Readable,
  encoding: string | undefined,
): Promise<{ body: Buffer; isCut: boolean }> {
  const decoder = decoders[(encoding ?? "").trim().toLowerCase()]?.();
  const source = decoder ? (stream.pipe(decoder as never) as unknown as Readable) : stream;
  // A failure or an abort of what is piped in does not reach the decoder by itself.
  if (decoder) stream.on("error", (error) => source.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBody) break;
    }
  } finally {
    // Its end is wanted here; what it says about that is not.
    stream.on("error", () => undefined);
    stream.destroy();
  }
  return { body: Buffer.concat(chunks).subarray(0, mostBody), isCut: length > mostBody };
}

/** The headers of an answer as a result shows them: as many as fit, without cookies. */
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

interface Answer {
  code: number;
  location?: string;
  headers: Record<string, string>;
  body: Buffer;
  isCut: boolean;
  certificateEnds?: Date;
}

async function send(
  request: Request,
  tls: TlsOptions,
  { spec, signal, connector }: ExchangeInput,
): Promise<Answer> {
  const { url, credentials } = request.target;
  const place = placeName(hostOf(url), portOf(url));
  const socket: Socket = await open({ url, proxy: spec.proxy, tls, signal, connector });
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
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...(credentials && {
          authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
        }),
        ...request.headers,
      },
      body: request.body ?? null,
      signal,
    });
    const ends = certificateEnds(socket);
    const encoding = response.headers["content-encoding"];
    const location = response.headers.location;
    const { body, isCut } = await readBody(
      response.body,
      Array.isArray(encoding) ? encoding[0] : encoding,
    );
    return {
      code: response.statusCode,
      location: Array.isArray(location) ? location[0] : location,
      headers: flat(response.headers),
      body,
      isCut,
      certificateEnds: ends,
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof errors.HTTPParserError) {
      throw new Error(`${place} does not answer in HTTP`, { cause: error });
    }
    throw describeNetworkError(error, place);
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
    await client.destroy();
  }
}

/** Sends the request of a check and follows redirects, each over a socket of its own that the address policy judges. */
export async function exchange(input: ExchangeInput): Promise<Exchange> {
  const { spec } = input;
  const started = performance.now();
  const most = spec.maxRedirects ?? defaultRedirects;
  const config = spec.tlsConfig;
  const ownTls: TlsOptions = {
    insecureSkipVerify: config?.insecureSkipVerify,
    ca: value(config?.ca),
    cert: value(config?.cert),
    key: value(config?.key),
  };
  let request = firstRequest(input);
  const firstOrigin = request.target.url.origin;
  for (let followed = 0; ; followed += 1) {
    // The client's certificate is a credential too.
    const tls =
      request.target.url.origin === firstOrigin
        ? ownTls
        : { ...ownTls, cert: undefined, key: undefined };
    const answer = await send(request, tls, input);
    if (most === 0 || !redirects.has(answer.code) || answer.location === undefined) {
      const { code, headers, body, isCut } = answer;
      const elapsedMs = performance.now() - started;
      return {
        code,
        headers,
        body,
        isCut,
        elapsedMs,
        certificateEnds: answer.certificateEnds,
        address: request.target.url.href,
      };
    }
    if (followed >= most) throw new Error(`redirected more than ${most} times`);
    request = follow(request, answer.code, answer.location);
  }
}
