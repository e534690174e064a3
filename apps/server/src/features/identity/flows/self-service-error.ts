import type { FastifyReply } from "fastify";
import { STATUS_CODES } from "node:http";

/** Parts of the answer beside `error`, as the wire format has them. */
export interface ErrorExtras {
  redirect_browser_to?: string;
  use_flow_id?: string;
  expired_at?: Date;
  /** Nanoseconds since then, as the official service counts. */
  since?: number;
}

interface ErrorParts {
  status: number;
  /** What went wrong, in one short clause. */
  message: string;
  /** What happened here and what to do. */
  reason: string;
  /** The id that clients decide by. */
  id?: string;
  details?: Record<string, unknown>;
  extras?: ErrorExtras;
  headers?: Record<string, string>;
}

/** A failure in the shape that clients of the identity service understand. */
export class SelfServiceError extends Error {
  readonly parts: ErrorParts;

  constructor(parts: ErrorParts) {
    super(`${parts.message}: ${parts.reason}`);
    this.name = "SelfServiceError";
    this.parts = parts;
  }
}

export function sendSelfServiceError(reply: FastifyReply, error: SelfServiceError): FastifyReply {
  const { status, headers, extras } = error.parts;
  return reply
    .headers(headers ?? {})
    .status(status)
    .send({ ...errorBody(error), ...extras });
}

export function errorBody({ parts }: SelfServiceError): { error: object } {
  const { status, message, reason, id, details } = parts;
  return {
    error: {
      ...(id ? { id } : {}),
      code: status,
      status: STATUS_CODES[status],
      reason,
      message,
      ...(details ? { details } : {}),
    },
  };
}

export const noSession = () =>
  new SelfServiceError({
    status: 401,
    id: "session_inactive",
    message: "The request could not be authorized",
    reason: "No valid session was found in the request. Sign in first.",
  });

export const firstFactorRequired = () =>
  new SelfServiceError({
    status: 401,
    id: "session_aal1_required",
    message: "The request could not be authorized",
    reason: "A second factor was asked for, but nobody is signed in with a first one.",
  });

export const alreadySignedIn = () =>
  new SelfServiceError({
    status: 400,
    id: "session_already_available",
    message: "The request was malformed or contained invalid parameters",
    reason: "Somebody is signed in already. Sign out first, or ask for the flow with refresh=true.",
  });

export const identityMismatch = () =>
  new SelfServiceError({
    status: 403,
    id: "security_identity_mismatch",
    message: "The requested action was forbidden",
    reason: "The flow was started by somebody else. Start a new one.",
  });

/** The browser has to go to another address; a program that talks for it is told which. */
export const locationChangeRequired = (address: string) =>
  new SelfServiceError({
    status: 422,
    id: "browser_location_change_required",
    message: "The browser must go to another address",
    reason: "Go to the address in redirect_browser_to to go on.",
    extras: { redirect_browser_to: address },
  });

export const secondFactorRequired = (address: string) =>
  new SelfServiceError({
    status: 403,
    id: "session_aal2_required",
    message: "The session does not fulfill the requested authenticator assurance level",
    reason: "This person has a second factor, which this session has not been shown yet.",
    extras: { redirect_browser_to: address },
  });

export const refreshRequired = (address: string) =>
  new SelfServiceError({
    status: 403,
    id: "session_refresh_required",
    message: "The requested action was forbidden",
    reason: "It has been a while since you signed in. Confirm who you are first.",
    extras: { redirect_browser_to: address },
  });

export const flowDisabled = (reason: string) =>
  new SelfServiceError({
    status: 400,
    id: "self_service_flow_disabled",
    message: "The request was malformed or contained invalid parameters",
    reason,
  });

export const csrfViolation = (reason: string) =>
  new SelfServiceError({
    status: 403,
    id: "security_csrf_violation",
    message: "The request was rejected to protect you from cross-site request forgery",
    reason,
  });

export const returnToForbidden = () =>
  new SelfServiceError({
    status: 400,
    id: "self_service_flow_return_to_forbidden",
    message: "The request was malformed or contained invalid parameters",
    reason: "The return_to address is not allowed: it must be a path of this server.",
  });

export const malformed = (reason: string) =>
  new SelfServiceError({
    status: 400,
    message: "The request was malformed or contained invalid parameters",
    reason,
  });

export const notLocated = (what: string) =>
  new SelfServiceError({
    status: 404,
    message: "Unable to locate the resource",
    reason: `There is no ${what} with this id.`,
  });

export const tooManyFlows = (seconds: number) =>
  new SelfServiceError({
    status: 429,
    message: "Too many requests",
    reason: `This address has started too many sign-ins. Try again in ${seconds} seconds.`,
    headers: { "retry-after": String(seconds) },
  });
