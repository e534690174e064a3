import { ApiError, type ErrorBody } from "./errors.ts";

/** The fields of a PostgreSQL error that may be shown. */
export interface PgError {
  code: string;
  message: string;
  detail?: string;
  hint?: string;
  table?: string;
}

export function isPgError(error: unknown): error is PgError {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code);
}

/**
 * SQLSTATE (or its beginning, longest first) to HTTP status, as PostgREST maps it. Departures, because bad input is
 * never a fault of ours: 54 (too complex) is 400 instead of 500, and a statement cut off by the time limit is 504.
 */
const statuses: Record<string, number> = {
  "08": 503,
  "09": 500,
  "0L": 403,
  "0P": 403,
  "23503": 409,
  "23505": 409,
  "25006": 405,
  "25": 500,
  "28": 403,
  "2D": 500,
  "38": 500,
  "39": 500,
  "3B": 500,
  "40": 500,
  "42501": 403,
  "42883": 404,
  "42P01": 404,
  "42P17": 500,
  "53": 503,
  "53400": 500,
  "54": 400,
  "55": 500,
  "57": 500,
  "57014": 504,
  "57P01": 503,
  "58": 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};

export function statusOfSqlState(state: string): number {
  const chosen = /^PT([1-5]\d\d)$/.exec(state);
  if (chosen) return Number(chosen[1]);
  return statuses[state] ?? statuses[state.slice(0, 2)] ?? 400;
}

/**
 * What of a PostgreSQL error may be told. `isOpen` says whether every column of a table is visible: only then may
 * details that quote rows or keys go out, because they can hold hidden columns.
 */
export function fromPgError(
  error: PgError,
  isOpen: (table: string) => boolean,
  words: "guarded" | "whole",
): ApiError {
  const status = statusOfSqlState(error.code);
  if (words === "whole") {
    if (error.code === "PGRST") return raised(error);
    const isUnknownRole =
      error.code === "22023" && /^role ".*" does not exist$/.test(error.message);
    return new ApiError(isUnknownRole ? 401 : status, error.code, error.message, {
      details: error.detail ?? null,
      hint: error.hint ?? null,
    });
  }
  if (error.code === "57014") {
    return new ApiError(
      status,
      error.code,
      "The database took too long to answer, so the request was cut off.",
      {
        hint: "Ask for fewer rows or columns, or filter by an indexed column.",
      },
    );
  }
  // Names are checked before, so what a statement does not find has gone since the catalog was read.
  if (error.code === "42703" || error.code === "42P01") {
    return new ApiError(
      503,
      error.code,
      "The database's tables have changed and the request does not fit them now.",
      {
        hint: "Try again in a moment.",
      },
    );
  }
  if (status >= 500 && !error.code.startsWith("P0")) {
    return new ApiError(status, error.code, "The database could not answer the request.");
  }
  const quotesRows = error.code.startsWith("23");
  const other = /table "([^"]*)"/.exec(error.detail ?? "")?.[1];
  const showDetails =
    !quotesRows ||
    (error.table !== undefined && isOpen(error.table) && (other === undefined || isOpen(other)));
  // A hint may propose a name that does not exist outside ("Perhaps you meant …").
  const showHint = !error.code.startsWith("42");
  return new ApiError(status, error.code, error.message, {
    details: showDetails ? (error.detail ?? null) : null,
    hint: showHint ? (error.hint ?? null) : null,
  });
}

/** `RAISE sqlstate 'PGRST'`: the message is the body of the answer, the detail its status and headers, both as JSON. */
function raised({ message, detail }: PgError): ApiError {
  try {
    const body = JSON.parse(message) as Partial<ErrorBody>;
    const how = JSON.parse(detail ?? "") as { status: number; headers?: Record<string, string> };
    if (typeof body.code !== "string" || typeof body.message !== "string")
      throw new Error("The message lacks code or message.");
    if (!Number.isInteger(how.status)) throw new Error("The detail lacks a status.");
    return new ApiError(how.status, body.code, body.message, {
      details: body.details ?? null,
      hint: body.hint ?? null,
      headers: how.headers ?? {},
    });
  } catch {
    return new ApiError(
      500,
      "PGRST121",
      "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error",
      {
        details: `Invalid JSON value for MESSAGE: '${message}' or DETAIL: '${detail ?? ""}'`,
        hint: "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'. DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
      },
    );
  }
}
