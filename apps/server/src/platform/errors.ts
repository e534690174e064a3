/**
 * The closed family of errors that a request may end in. Throw one anywhere; `http/` turns it into an answer once.
 * Anything else that is thrown is a fault of ours: logged with its cause, answered blandly.
 */

export type ErrorCode =
  | "notFound"
  | "invalid"
  | "forbidden"
  | "unauthenticated"
  | "conflict"
  | "tooLarge"
  | "tooMany"
  | "unsupported"
  | "unavailable";

export const statusOf: Record<ErrorCode, number> = {
  notFound: 404,
  invalid: 400,
  forbidden: 403,
  unauthenticated: 401,
  conflict: 409,
  tooLarge: 413,
  tooMany: 429,
  unsupported: 501,
  unavailable: 503,
};

/** One thing wrong with what was sent: where (a dotted path, and a place in the text when there is one) and what. */
export interface Issue {
  path: string;
  message: string;
  /** 1-based. */
  line?: number;
  /** 1-based. */
  column?: number;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];
  /** What the answer says beside why it is refused. */
  readonly beside: object;
  /** How soon to try again, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      issues?: readonly Issue[];
      cause?: unknown;
      beside?: object;
      retryAfter?: number;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.issues = options.issues ?? [];
    this.beside = options.beside ?? {};
    this.retryAfter = options.retryAfter;
  }
}

export const notFound = (message: string) => new AppError("notFound", message);
export const invalid = (message: string, issues: readonly Issue[] = []) =>
  new AppError("invalid", message, { issues });
export const forbidden = (message: string, issues: readonly Issue[] = []) =>
  new AppError("forbidden", message, { issues });
export const unauthenticated = (message = "Not logged in") =>
  new AppError("unauthenticated", message);
export const conflict = (message: string) => new AppError("conflict", message);
export const tooMany = (message: string) => new AppError("tooMany", message);
export const unsupported = (message: string) => new AppError("unsupported", message);
export const unavailable = (message: string, cause?: unknown) =>
  new AppError("unavailable", message, { cause });

/** Why a request's work ends whose asker has gone: nobody is told, and nothing is wrong. */
export class AskerGone extends Error {
  constructor() {
    super("The asker has gone.");
  }
}
