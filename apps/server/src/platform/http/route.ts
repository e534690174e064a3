import type { FastifyReply, FastifyRequest } from "fastify";
import type { Resource, Action } from "@mainstay/contract";
import type { z } from "zod";
import type { Ctx } from "../context.ts";
import type { Issue } from "../errors.ts";

/** What a handler is given: a context for the asker and the validated parts of the request. */
export interface RouteInput<Params, Query, Body> {
  ctx: Ctx;
  params: Params;
  query: Query;
  body: Body;
  request: FastifyRequest;
  reply: FastifyReply;
}

export interface RouteOptions<Params, Query, Body, Reply> {
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** The answer is checked against it and only what it names is sent. Without one the handler's value is sent as is. */
  reply?: z.ZodType<Reply>;
  /**
   * Who may ask: `public` (no session), `session` (anyone signed in), or a resource and action of the role matrix.
   * There is no default: a route that does not say is a compile error.
   */
  access: "public" | "session" | { resource: Resource; action: Action };
  /** The body is handed over as the text that was sent, whatever its type says: places in it can be named. */
  bodyAsText?: boolean;
  /** The body is handed over as the bytes that were sent, whatever its type says. */
  bodyAsBytes?: boolean;
  /** Largest body in bytes; 1 MiB unless said. */
  bodyLimit?: number;
  /** The answer is sent as it is, with its own length, and not compressed on the way. */
  isSentAsIs?: boolean;
  /** Status of a good answer; 200 unless said. */
  status?: number;
  /** A body that is no JSON though it says so comes to the handler as `unreadable`; it is refused before unless said. */
  takesUnreadable?: boolean;
  /** The body of a failed answer, where clients expect another than the service envelope. */
  failureBody?: FailureBody;
}

export const unreadable = Symbol("a body that cannot be read");

export type FailureBody = (failure: {
  status: number;
  code: string;
  message: string;
  issues: readonly Issue[];
  beside?: object;
}) => object;

declare module "fastify" {
  interface FastifyContextConfig {
    bodyAsText?: boolean;
    bodyAsBytes?: boolean;
    takesUnreadable?: boolean;
  }
}

export type Handler<Params, Query, Body, Reply> = (
  input: RouteInput<Params, Query, Body>,
) => Promise<Reply | FastifyReply> | Reply | FastifyReply;

type Register = <
  Params = Record<string, string>,
  Query = Record<string, unknown>,
  Body = unknown,
  Reply = unknown,
>(
  path: string,
  options: RouteOptions<Params, Query, Body, Reply>,
  handler: Handler<Params, Query, Body, Reply>,
) => void;

/** How a feature adds endpoints: path, schemas, one call. */
export interface Http {
  get: Register;
  post: Register;
  put: Register;
  patch: Register;
  delete: Register;
}
