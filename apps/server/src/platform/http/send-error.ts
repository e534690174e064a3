import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hasGivenWay } from "../db/give-way.ts";
import { hasTakenTooLong } from "../db/took-too-long.ts";
import { AppError, AskerGone, statusOf } from "../errors.ts";
import type { FailureBody } from "./route.ts";
import { securityHeaders } from "./security-headers.ts";

/** What nobody reads, but those who count answers: the status that other servers write down for it. */
const askerGone = 499;

/** One place turns a failure into an answer in JSON, whatever the client accepts: the service envelope of the contract. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyOf: FailureBody = serviceEnvelope,
): FastifyReply {
  // Pages ask anew with every word that is typed, and let go of what they asked before.
  if (error instanceof AskerGone) return reply.status(askerGone).send();
  const known = toAppError(error);
  if (!known) {
    request.log.error({ err: error, url: loggedPath(request) }, "request failed");
    const message = `Something went wrong on our side. The log has it under ${request.id}.`;
    return reply.status(500).send(bodyOf({ status: 500, message, code: "internal", issues: [] }));
  }
  const { code, message, issues, beside, retryAfter } = known;
  if (code === "unavailable") request.log.warn({ err: known.cause ?? known }, message);
  const status = statusOf[code];
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  return reply.status(status).send(bodyOf({ status, message, code, issues, beside }));
}

/** Some clients look for the text under `error`, others under `message`. */
const serviceEnvelope: FailureBody = ({ message, code, issues, beside }) => ({
  error: message,
  message,
  code,
  ...(issues.length > 0 ? { issues } : {}),
  ...beside,
});

/** When to try again where the database is away: its connections are made anew within about that time. */
const awaySeconds = 5;
/** The driver's and the server's ways of saying that the database is away. */
const databaseAway = new Set(["57P01", "57P02", "57P03", "53300", "08006", "08001"]);
const connectionFailed = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);
const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|encountered a connection error/;

function isDatabaseAway(error: Error & { code?: string; syscall?: string }): boolean {
  const { code = "", syscall = "", message } = error;
  if (databaseAway.has(code) || lostConnection.test(message)) return true;
  // The same code with another system call is a missing file.
  return connectionFailed.has(code) && /^(connect|read|write|getaddrinfo)$/.test(syscall);
}

/** As jsonb tells it, of half of a pair: with the code of any mistake in JSON. */
const halfOfPair = /surrogate/;

const isUnstorable = ({ code, detail = "" }: Error & { code?: string; detail?: string }): boolean =>
  code === "22021" || code === "22P05" || (code === "22P02" && halfOfPair.test(detail));

export function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number };
  const options = { cause: error };
  if (statusCode === 413) {
    return new AppError("tooLarge", "What was sent is larger than this address accepts.", options);
  }
  if (code === "53100") {
    return new AppError("unavailable", "The database's disk is full. Free some space.", options);
  }
  // A text of the request's that PostgreSQL cannot hold; what the program itself writes was made storable before.
  if (isUnstorable(error)) {
    return new AppError(
      "invalid",
      "The request holds a character that cannot be stored or looked for (NUL, or half of a pair).",
      options,
    );
  }
  if (hasTakenTooLong(error)) {
    return new AppError("unavailable", "The database took too long and was interrupted.", options);
  }
  if (hasGivenWay(error)) {
    const message =
      "Somebody changed the same at this moment, and one had to give way. Nothing was changed: please try again.";
    return new AppError("unavailable", message, options);
  }
  if (isDatabaseAway(error)) {
    const message = "The database cannot be reached at the moment. Please try again.";
    return new AppError("unavailable", message, { ...options, retryAfter: awaySeconds });
  }
  if (statusCode === 404) return new AppError("notFound", error.message, options);
  if (statusCode === 403) return new AppError("forbidden", error.message, options);
  if (statusCode && statusCode >= 400 && statusCode < 500)
    return new AppError("invalid", error.message, options);
  return undefined;
}

const unreadable: Record<string, [status: number, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: [431, "The headers of the request are too large."],
};

/** Answers what did not even parse as a request; there is no reply object yet. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = unreadable[error.code ?? ""] ?? [400, "This is not an HTTP request."];
  const body = JSON.stringify(serviceEnvelope({ status, message, code: "invalid", issues: [] }));
  const headers = Object.entries({
    ...securityHeaders,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join("")}\r\n${body}`);
  // Not only ended: the other side may never close.
  socket.destroySoon();
}

/** Parameters of a path may be secrets (the token of a heartbeat): then it is the route that is logged. */
export function loggedPath(request: FastifyRequest): string {
  const route = request.routeOptions.url;
  return route?.includes(":") ? route : withoutQuery(request.url);
}

export const withoutQuery = (url: string) => url.split("?", 1)[0]!;

/**
 * Whether the parameters of an address can be read as text without a NUL. The data API reads its own, because people type
 * per cent signs into search boxes.
 */
export function isReadable(url: string): boolean {
  const mark = url.indexOf("?");
  if (mark < 0 || !/^\/api\/(?!db\/)/.test(url))
    return !/%00/.test(mark < 0 ? url : url.slice(0, mark));
  try {
    return !decodeURIComponent(url).includes("\0");
  } catch {
    return false;
  }
}
