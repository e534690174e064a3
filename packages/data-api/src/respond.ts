import { hash } from "node:crypto";
import { answerTooLong, type ApiError, badRange, notOneRow, PlainError } from "./errors.ts";
import { contentTypeOf, type Shape } from "./parse/accept.ts";
import { appliedPreferences, type Doing, type Preferences } from "./parse/preferences.ts";
import type { ReadPlan } from "./plan/plan.ts";
import { namesOfCuts } from "./sql/bounds.ts";

export interface DataApiResponse {
  status: number;
  headers: Record<string, string>;
  /** JSON text as PostgreSQL made it, plain text of a refusal, or nothing. */
  body: string | undefined;
  /** In place of a body, where it is no text. */
  bytes?: Buffer;
}

/** What a statement of `sql/` returned. */
export interface Answer {
  body: string;
  rows: number;
  total: number | undefined;
  /** Embedded lists that were cut, by their names in the answer: `hypotheses.comments`. */
  cuts: string[];
}

/** Reads the one row that every statement returns. */
export function toAnswer(
  row: Record<string, unknown>,
  maxBytes: number,
  plan: ReadPlan | undefined,
): Answer {
  const { body, bytes, rows, total, cuts } = row;
  if (typeof body !== "string") throw answerTooLong(maxBytes, String(bytes));
  return {
    body,
    rows: Number(rows),
    total: total === null || total === undefined ? undefined : Number(total),
    cuts: plan && typeof cuts === "string" ? namesOfCuts(plan, cuts) : [],
  };
}

/** Which embedded lists do not hold all of their rows, by their names in the answer. */
const cutHeader = ({ cuts }: Answer): Record<string, string> =>
  cuts.length === 0 ? {} : { "lists-cut": cuts.join(", ") };

const range = (first: number, rows: number, total: number | undefined) =>
  `${rows > 0 && total !== 0 ? `${first}-${first + rows - 1}` : "*"}/${total ?? "*"}`;

function withPreferences(headers: Record<string, string>, preferences: Preferences, doing: Doing) {
  const applied = appliedPreferences(preferences, doing);
  return applied === "" ? headers : { ...headers, "preference-applied": applied };
}

export interface AnsweredRead {
  doing: "read" | "call";
  shape: Shape;
  preferences: Preferences;
  offset: number;
  withBody: boolean;
  /** Where the same rows can be read again. */
  location?: string;
  /** `If-None-Match`: what the asker has already. */
  known?: string;
}

export function respondToRead(answer: Answer, request: AnsweredRead): DataApiResponse {
  const { doing, shape, preferences, offset, withBody, location, known } = request;
  const { rows, total, body } = answer;
  if (total !== undefined && offset > total) {
    const error = badRange(
      `An offset of ${offset} was requested, but there are only ${total} rows.`,
    );
    const where: Record<string, string> = { "content-range": `*/${total}` };
    if (location !== undefined) where["content-location"] = location;
    Object.assign(error.headers, withPreferences(where, preferences, doing));
    throw error;
  }
  if (shape.kind === "object" && rows !== 1) throw notOneRow(rows);
  const contentRange = range(offset, rows, total);
  const etag = `W/"${hash("sha1", `${contentRange} ${body}`, "base64url")}"`;
  const headers = withPreferences(
    {
      "content-type": contentTypeOf(shape),
      "content-range": contentRange,
      etag,
      ...cutHeader(answer),
      ...(location === undefined ? {} : { "content-location": location }),
    },
    preferences,
    doing,
  );
  if (known !== undefined && isKnown(known, etag)) return { status: 304, headers, body: undefined };
  return {
    status: total !== undefined && rows < total ? 206 : 200,
    headers,
    ...(withBody ? bodyOf(answer, shape) : { body: undefined }),
  };
}

/** Bytes come from the database as base64. */
const bodyOf = ({ body }: Answer, { media }: Shape): Pick<DataApiResponse, "body" | "bytes"> =>
  media?.isBinary ? { body: undefined, bytes: Buffer.from(body, "base64") } : { body };

function isKnown(header: string, etag: string): boolean {
  return header
    .split(",")
    .some((item) => item.trim() === "*" || item.trim().replace(/^(W\/)?/, "W/") === etag);
}

export type WriteMethod = "POST" | "PATCH" | "DELETE" | "PUT";

export interface AnsweredWrite {
  method: WriteMethod;
  shape: Shape;
  preferences: Preferences;
  location: string | undefined;
  /** Rows that an upsert made new; undefined for another write. */
  inserted: number | undefined;
}

export function respondToWrite(answer: Answer, request: AnsweredWrite): DataApiResponse {
  const { method, shape, preferences, location, inserted } = request;
  const isShown = preferences.returns === "representation";
  const total = preferences.count === undefined ? undefined : answer.rows;
  const headers: Record<string, string> = {};
  if (method !== "PUT") {
    headers["content-range"] =
      method === "PATCH" ? range(0, answer.rows, total) : `*/${total ?? "*"}`;
  }
  if (isShown) headers["content-type"] = contentTypeOf(shape);
  if (location !== undefined) headers["location"] = location;
  Object.assign(headers, cutHeader(answer));
  const doing = { POST: "insert", PUT: "insert", PATCH: "update", DELETE: "delete" } as const;
  return {
    status: writeStatus(method, isShown, inserted),
    headers: withPreferences(headers, preferences, doing[method]),
    ...(isShown ? bodyOf(answer, shape) : { body: undefined }),
  };
}

function writeStatus(method: WriteMethod, isShown: boolean, inserted: number | undefined): number {
  if (method === "POST") return inserted === 0 ? 200 : 201;
  if (!isShown) return 204;
  return method === "PUT" && inserted !== 0 ? 201 : 200;
}

/** Clients of the program show what these are refused with by `error`, where PostgREST's show `message`. */
const toldTwice = new Set([403, 409]);

/** The answer to a refusal; anything else is not ours to answer. */
export function respondToRefusal(
  error: ApiError | PlainError,
  words: "guarded" | "whole" = "guarded",
): DataApiResponse {
  if (error instanceof PlainError) {
    return {
      status: error.status,
      headers: { "content-type": "text/plain; charset=utf-8", ...error.headers },
      body: error.message,
    };
  }
  return {
    status: error.status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "proxy-status": `PostgREST; error=${error.body.code}`,
      ...error.headers,
    },
    body: JSON.stringify(
      words === "guarded" && toldTwice.has(error.status)
        ? { ...error.body, error: error.body.message }
        : error.body,
    ),
  };
}
