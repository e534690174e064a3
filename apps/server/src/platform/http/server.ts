import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import compress from "@fastify/compress";
import cookie from "@fastify/cookie";
import fastify, {
  type FastifyBaseLogger,
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Actor, Ctx } from "../context.ts";
import { AskerGone, AppError, invalid, type Issue, unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { Authenticator } from "./authenticator.ts";
import { isPage, serveConsole } from "./console-files.ts";
import { answerOtherOrigin, type OtherOrigins } from "./other-origins.ts";
import { type Handler, type Http, type RouteOptions, unreadable } from "./route.ts";
import { securityHeadersOf } from "./security-headers.ts";
import { isReadable, loggedPath, refuseUnreadable, sendError, withoutQuery } from "./send-error.ts";

/** Bodies above this are refused before they are read, unless a route says otherwise. */
const BODY_LIMIT = 1024 * 1024;
/** A client that sends its request slower than this is cut off. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface HttpServerParts {
  config: Config;
  log: Log;
  metrics: Metrics;
  ctx: Ctx;
  authenticate: Authenticator;
  /** The actor of requests without a session. */
  anonymous: Actor;
  /** Whom else the console asks, and where else one is open that asks here. */
  otherOrigins?: readonly OtherOrigins[];
  /** Where the built console lies. */
  consoleDirectory: string;
  /** A client that has not sent its whole request by then is cut off; a minute unless said. */
  requestTimeoutMs?: number;
}

export interface Endpoint {
  method: string;
  url: string;
  access: RouteOptions<unknown, unknown, unknown, unknown>["access"];
  /** The names that its query may hold, as far as its schema says. */
  query: readonly string[];
}

export interface HttpServer {
  app: FastifyInstance;
  http: Http;
  /** Every endpoint that was added through `http`, and who may ask it. */
  routes: readonly Endpoint[];
  /** The context of a request: its actor, its log, and a signal that ends with the connection. */
  contextOf(request: FastifyRequest): Promise<Ctx>;
}

export async function createHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const { config, log, metrics, authenticate, anonymous } = parts;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, otherOrigins = [] } = parts;
  const consoles = otherOrigins.flatMap(({ consoles = [] }) => consoles);
  const secure = config.publicUrl?.startsWith("https:") ?? false;
  const securityHeaders = securityHeadersOf(otherOrigins.flatMap(({ asked = [] }) => asked));
  const setHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header("x-request-id", request.id);
    for (const [name, value] of Object.entries(securityHeaders)) reply.header(name, value);
    if (secure) reply.header("strict-transport-security", "max-age=31536000");
    if (/^\/api(\/|$)/.test(withoutQuery(request.url))) reply.header("cache-control", "no-store");
  };
  const httpLog: FastifyBaseLogger = log.child({ source: "http" });
  const app: FastifyInstance = fastify({
    loggerInstance: httpLog,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => acceptableId(request.headers["x-request-id"]) ?? randomUUID(),
    bodyLimit: BODY_LIMIT,
    requestTimeout: requestTimeoutMs,
    http: {
      // Node takes the smaller of the two for the headers, whichever it is called.
      headersTimeout: requestTimeoutMs / 2,
      connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 5_000),
    },
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    // Done below, in our own words and with our headers.
    return503OnClosing: false,
    clientErrorHandler: refuseUnreadable,
    // Addresses that cannot be decoded never reach the hooks.
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply);
      sendError(error, request, reply);
    },
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    routerOptions: { maxParamLength: 500 },
    exposeHeadRoutes: true,
  });

  const signals = new WeakMap<FastifyRequest, AbortSignal>();
  const contextFor = (request: FastifyRequest, actor: Actor): Ctx =>
    parts.ctx.with({
      actor,
      origin: { address: request.ip, requestId: request.id },
      log: request.log as Log,
      signal: AbortSignal.any([parts.ctx.signal, signals.get(request)!]),
    });
  let isClosing = false;
  // Browsers open connections before they have something to ask; a stop would wait for those as for an answer.
  const unasked = new Set<Socket>();
  app.server.on("connection", (socket) => {
    unasked.add(socket);
    socket.once("close", () => unasked.delete(socket));
  });
  app.server.on("request", ({ socket }) => unasked.delete(socket));
  app.addHook("preClose", async () => {
    isClosing = true;
    for (const socket of unasked) socket.destroy();
  });
  app.addHook("onRequest", async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) gone.abort(new AskerGone());
    });
    signals.set(request, gone.signal);
    setHeaders(request, reply);
    if (namesTwoHosts(request.raw.rawHeaders)) {
      reply.header("connection", "close");
      throw invalid("The request names more than one host.");
    }
    if (answerOtherOrigin(request, reply, consoles)) return reply;
    if (!isReadable(request.url))
      throw invalid("The address holds bytes that are no text (NUL, or no UTF-8).");
    if (isClosing) throw unavailable("The server is stopping. Please try again.");
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unmatched";
    const seconds = reply.elapsedTime / 1000;
    metrics.requests.observe(
      { method: request.method, route, status: String(reply.statusCode) },
      seconds,
    );
    const level = reply.statusCode >= 500 ? "error" : "debug";
    request.log[level](
      {
        method: request.method,
        url: loggedPath(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "request",
    );
  });
  await app.register(cookie);
  await app.register(compress, {
    global: true,
    threshold: 1024,
    encodings: ["br", "gzip"],
    brotliOptions: { params: { 1: 4 } },
  });

  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  const page = await serveConsole(app, parts.consoleDirectory);
  app.setNotFoundHandler((request, reply) =>
    isPage(request)
      ? page(request, reply)
      : sendError(
          new AppError(
            "notFound",
            `There is nothing at ${request.method} ${withoutQuery(request.url)}.`,
          ),
          request,
          reply,
        ),
  );
  // Clients name the type of a body also where they send none.
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    const { bodyAsText, bodyAsBytes, takesUnreadable } = request.routeOptions.config;
    if (bodyAsBytes) return done(null, bytes);
    const body = bytes.toString("utf8");
    if (bodyAsText) return done(null, body);
    if (body === "") return done(null, undefined);
    return parseJson(request, body, (error, value) =>
      error && takesUnreadable ? done(null, unreadable) : done(error, value),
    );
  });
  // Fastify brings a parser of its own for it, which hands over no bytes.
  app.removeContentTypeParser("text/plain");
  // Bodies of no or an unknown type are text; the route's schema decides whether that will do.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) =>
    done(null, request.routeOptions.config.bodyAsBytes ? body : body.toString("utf8")),
  );

  const contexts = new WeakMap<FastifyRequest, Promise<Ctx>>();
  const contextOf = (request: FastifyRequest): Promise<Ctx> => {
    let found = contexts.get(request);
    if (!found) {
      found = authenticate(request).then((actor) => contextFor(request, actor ?? anonymous));
      contexts.set(request, found);
    }
    return found;
  };

  const routes: Endpoint[] = [];
  const register =
    (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"): Http["get"] =>
    (url, options, handler) => {
      routes.push({ method, url, access: options.access, query: namesOf(options.query) });
      app.route({
        method,
        url,
        bodyLimit: options.bodyLimit,
        ...(options.isSentAsIs && { compress: false }),
        config: {
          bodyAsText: options.bodyAsText ?? false,
          bodyAsBytes: options.bodyAsBytes ?? false,
          takesUnreadable: options.takesUnreadable ?? false,
        },
        ...(options.failureBody
          ? {
              errorHandler: (error, request, reply) => {
                void sendError(error, request, reply, options.failureBody);
              },
            }
          : {}),
        handler: (request, reply) =>
          answer({
            request,
            reply,
            options,
            handler,
            contextOf,
            publicContext: () => contextFor(request, anonymous),
          }),
      });
    };
  const http: Http = {
    get: register("GET"),
    post: register("POST"),
    put: register("PUT"),
    patch: register("PATCH"),
    delete: register("DELETE"),
  };
  return { app, http, routes, contextOf };
}

const namesOf = (schema: z.ZodType | undefined): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** Whether a proxy in front could have read another `Host` than the one that counts here. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === "host") hosts += 1;
  return hosts > 1;
}

interface AnswerParts<Params, Query, Body, Reply> {
  request: FastifyRequest;
  reply: FastifyReply;
  options: RouteOptions<Params, Query, Body, Reply>;
  handler: Handler<Params, Query, Body, Reply>;
  contextOf: (request: FastifyRequest) => Promise<Ctx>;
  publicContext: () => Ctx;
}

async function answer<Params, Query, Body, Reply>(parts: AnswerParts<Params, Query, Body, Reply>) {
  const { request, reply, options, handler, contextOf } = parts;
  // A public route asks for no session: the store of sessions may be away and it still answers.
  const ctx = options.access === "public" ? parts.publicContext() : await contextOf(request);
  if (options.access === "session") {
    if (ctx.actor.kind === "anonymous" && ctx.actor.resources.length === 0)
      throw new AppError("unauthenticated", "Not logged in");
  } else if (options.access !== "public") {
    ctx.require(options.access.resource, options.access.action);
  }
  const result = await handler({
    ctx,
    params: read(options.params, request.params, "path") as Params,
    query: read(options.query, request.query, "query") as Query,
    body: read(options.body, request.body, "body") as Body,
    request,
    reply,
  });
  // A client that goes away in the middle leaves an answer that has begun and will never be complete.
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed || result === reply) return reply;
  const value = options.reply ? options.reply.parse(result) : result;
  if (value === undefined) return reply.status(options.status ?? 204).send();
  reply.status(options.status ?? 200);
  return value;
}

function read(schema: z.ZodType | undefined, value: unknown, part: string): unknown {
  if (!schema) return value;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues: Issue[] = parsed.error.issues.map((issue) => ({
    path: issue.path.join("."),
    message: issue.message,
  }));
  const first = issues[0]!;
  throw invalid(
    `The ${part} is not as expected: ${first.path ? `${first.path}: ` : ""}${first.message}`,
    issues,
  );
}

function acceptableId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && /^[\w.-]{8,64}$/.test(header) ? header : undefined;
}
