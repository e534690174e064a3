import { ApiError, badRange, notOneRow, PlainError } from "./errors.ts";
import type { Shape } from "./parse/accept.ts";
import { appliedPreferences, type Preferences } from "./parse/preferences.ts";

export interface DataApiResponse {
  status: number;
  headers: Record<string, string>;
  /** JSON text as PostgreSQL made it, plain text of a refusal, or nothing. */
  body: string | undefined;
}

/** What a statement of `sql/` returned. */
export interface Answer {
  body: string;
  rows: number;
  total: number | undefined;
}

/** Reads the one row that every statement returns. */
export function toAnswer(row: Record<string, unknown>, maxBytes: number): Answer {
  const { body, bytes, rows, total } = row;
  if (typeof body !== "string") {
    throw new ApiError(
      400,
      "54000",
      `The answer would be ${String(bytes)} bytes long; at most ${maxBytes} are sent.`,
      {
        hint: "Ask for fewer rows with limit, or for fewer columns with select.",
      },
    );
  }
  return {
    body,
    rows: Number(rows),
    total: total === null || total === undefined ? undefined : Number(total),
  };
}

const contentTypes: Record<Shape, string> = {
  array: "application/json; charset=utf-8",
  object: "application/vnd.pgrst.object+json; charset=utf-8",
};

const range = (first: number, rows: number, total: number | undefined) =>
  `${rows > 0 && total !== 0 ? `${first}-${first + rows - 1}` : "*"}/${total ?? "*"}`;

function withPreferences(
  headers: Record<string, string>,
  preferences: Preferences,
  isWrite: boolean,
) {
  const applied = appliedPreferences(preferences, isWrite);
  return applied === "" ? headers : { ...headers, "preference-applied": applied };
}

export function respondToRead(
  answer: Answer,
  request: { shape: Shape; preferences: Preferences; offset: number; withBody: boolean },
): DataApiResponse {
  const { shape, preferences, offset, withBody } = request;
  const { rows, total } = answer;
  if (total !== undefined && offset > total) {
    const error = badRange(
      `An offset of ${offset} was requested, but there are only ${total} rows.`,
    );
    Object.assign(
      error.headers,
      withPreferences({ "content-range": `*/${total}` }, preferences, false),
    );
    throw error;
  }
  if (shape === "object" && rows !== 1) throw notOneRow(rows);
  return {
    status: total !== undefined && rows < total ? 206 : 200,
    headers: withPreferences(
      { "content-type": contentTypes[shape], "content-range": range(offset, rows, total) },
      preferences,
      false,
    ),
    body: withBody ? answer.body : undefined,
  };
}

export type WriteMethod = "POST" | "PATCH" | "DELETE";

export function respondToWrite(
  answer: Answer,
  request: {
    method: WriteMethod;
    shape: Shape;
    preferences: Preferences;
    location: string | undefined;
  },
): DataApiResponse {
  const { method, shape, preferences, location } = request;
  const isShown = preferences.returns === "representation";
  const total = preferences.count === undefined ? undefined : answer.rows;
  const contentRange = method === "PATCH" ? range(0, answer.rows, total) : `*/${total ?? "*"}`;
  const headers: Record<string, string> = { "content-range": contentRange };
  if (isShown) headers["content-type"] = contentTypes[shape];
  if (location !== undefined) headers["location"] = location;
  return {
    status: method === "POST" ? 201 : isShown ? 200 : 204,
    headers: withPreferences(headers, preferences, true),
    body: isShown ? answer.body : undefined,
  };
}

/** The answer to a refusal; anything else is not ours to answer. */
export function respondToRefusal(error: ApiError | PlainError): DataApiResponse {
  if (error instanceof PlainError) {
    return {
      status: error.status,
      headers: { "content-type": "text/plain; charset=utf-8", ...error.headers },
      body: error.message,
    };
  }
  return {
    status: error.status,
    headers: { "content-type": "application/json; charset=utf-8", ...error.headers },
    body: JSON.stringify(error.body),
  };
}
