import { validateHeaderName, validateHeaderValue } from "node:http";
import { ApiError } from "./errors.ts";

/** The fields of a PostgreSQL error that may be shown, and how bad it is. */
export interface PgError {
  severity?: string;
  code: string;
  message: string;
  detail?: string;
  hint?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

export function isPgError(error: unknown): error is PgError {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code);
}

/** PostgreSQL ends the connection with it. */
export const isFatal = ({ severity }: PgError): boolean =>
  severity === "FATAL" || severity === "PANIC";

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
  const chosen = /^PT([2-9]\d\d)$/.exec(state);
  if (chosen) return Number(chosen[1]);
  return statuses[state] ?? statuses[state.slice(0, 2)] ?? 400;
}

/** What exists outside, as far as errors name it. */
export type SeenTables = ReadonlyMap<
  string,
  {
    isOpen: boolean;
    columns: ReadonlyMap<string, unknown>;
    allColumns: ReadonlyMap<string, unknown>;
  }
>;

/**
 * What of a PostgreSQL error may be told. Details that quote rows or keys go out only of tables that are open whole,
 * because they can hold what is hidden; a constraint is not named where its name could tell of what does not exist
 * outside.
 */
export function fromPgError(
  error: PgError,
  tables: SeenTables,
  words: "guarded" | "whole",
): ApiError {
  const status = statusOfSqlState(error.code);
  if (words === "whole") {
    if (error.code === "PGRST") return raised(error);
    const isUnknownRole =
      error.code === "22023" && /^role ".*" does not exist$/.test(error.message);
    const shown = isUnknownRole ? 401 : status;
    return new ApiError(shown, error.code, error.message, {
      details: error.detail ?? null,
      hint: error.hint ?? null,
      headers: shown === 401 ? { "www-authenticate": "Bearer" } : {},
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
  // Also of the condition of a view, which quotes the whole row beneath it.
  const isViolation = /^(23|44)/.test(error.code);
  const mayTell = isViolation ? toldOfViolation(error, tables) : "all";
  const showDetails = mayTell === "all";
  const message =
    mayTell === "kind"
      ? `The write violates ${constraints[error.code] ?? "a constraint"} of the database.`
      : error.message;
  // A hint may propose a name that does not exist outside ("Perhaps you meant …").
  const showHint = !error.code.startsWith("42");
  return new ApiError(status, error.code, message, {
    details: showDetails ? (error.detail ?? null) : null,
    hint: showHint ? (error.hint ?? null) : null,
  });
}

const constraints: Record<string, string> = {
  "23502": "a not-null constraint",
  "23503": "a foreign key",
  "23505": "a unique constraint",
  "23514": "a check constraint",
  "23P01": "an exclusion constraint",
};

/** Of a violated constraint: what PostgreSQL says, without the rows it quotes, or which kind of constraint it is. */
function toldOfViolation(error: PgError, tables: SeenTables): "all" | "message" | "kind" {
  const { table, column, constraint = "" } = error;
  // A trigger of the program's or the check of a domain, which say what they like, or the condition of a view.
  if (table === undefined) return "message";
  const named = [error.message, error.detail ?? ""].flatMap((text) =>
    [...text.matchAll(/(?:table|relation) "([^"]*)"/g)].map(([, name = ""]) => name),
  );
  const seen = [table, ...named].map((name) => tables.get(name));
  if (seen.includes(undefined)) return "kind";
  const hidden = [...(seen[0]?.allColumns.keys() ?? [])].filter(
    (name) => seen[0]?.columns.has(name) === false,
  );
  // Constraints are named after their columns unless somebody says otherwise.
  if (hidden.some((name) => name === column || `_${constraint}_`.includes(`_${name}_`)))
    return "kind";
  return seen.every((one) => one?.isOpen) ? "all" : "message";
}

/** `RAISE sqlstate 'PGRST'`: the message is the body of the answer, the detail its status and headers, both as JSON. */
function raised({ message, detail }: PgError): ApiError {
  const { code, message: told, details, hint } = readJson(message);
  if (typeof code !== "string" || typeof told !== "string") {
    return cannotRaise(
      `Invalid JSON value for MESSAGE: '${message}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    );
  }
  const { status, headers } = readJson(detail ?? "");
  if (!isFinalStatus(status) || !areHeaders(headers)) {
    return cannotRaise(
      detail === undefined
        ? "DETAIL is missing in the RAISE statement"
        : `Invalid JSON value for DETAIL: '${detail}'`,
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    );
  }
  const shownHint = typeof hint === "string" ? hint : null;
  return new ApiError(status, code, told, { details: details ?? null, hint: shownHint, headers });
}

const cannotRaise = (details: string, hint: string) =>
  new ApiError(500, "PGRST121", "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error", {
    details,
    hint,
  });

/** The members of an object; what is none has none. */
function readJson(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

/** After a status below 200 a client goes on waiting. */
export const isFinalStatus = (status: unknown): status is number =>
  typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 999;

const areHeaders = (headers: unknown): headers is Record<string, string> =>
  typeof headers === "object" &&
  headers !== null &&
  Object.entries(headers).every(([name, value]) => isHeader(name, value));

/** Whether an answer can hold it: what is no text or holds line breaks cannot be sent. */
export function isHeader(name: string, value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
