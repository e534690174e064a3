import { likeness, nearest } from "./nearest.ts";
import type { Schema } from "./schema/schema.ts";

/** The body of every refusal, as PostgREST words it. */
export interface ErrorBody {
  code: string;
  message: string;
  details: unknown;
  hint: string | null;
}

/** A refusal with a JSON body. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { details?: unknown; hint?: string | null; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.body = { code, details: options.details ?? null, hint: options.hint ?? null, message };
    this.headers = options.headers ?? {};
  }
}

/** A refusal in plain text: what is not there (empty), and methods that are not open. */
export class PlainError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, text: string, headers: Record<string, string> = {}) {
    super(text);
    this.name = "PlainError";
    this.status = status;
    this.headers = headers;
  }
}

export const noSuchTable = () => new PlainError(404, "");

/** For those whom the database's own roles guard: they may hear what is not there. */
export function unknownTable(
  schema: Pick<Schema<never>, "name" | "tables">,
  name: string,
): ApiError {
  const near = nearest(name, [...schema.tables.keys()], likeness.name);
  return new ApiError(
    404,
    "PGRST205",
    `Could not find the table '${schema.name}.${name}' in the schema cache`,
    { hint: near === undefined ? null : `Perhaps you meant the table '${schema.name}.${near}'` },
  );
}

export const forbidden = (action: "read" | "write", resource: string) =>
  new ApiError(
    403,
    "42501",
    `You do not have permission to ${action} ${resource.replaceAll("_", " ")}.`,
  );

export const methodClosed = (method: string, name: string, allow: readonly string[]) =>
  new PlainError(
    405,
    `${method} is not possible on ${name}. Possible: ${allow.join(", ") || "nothing"}.`,
    {
      allow: allow.join(", "),
    },
  );

/** Text that does not follow the grammar; `column` is 1-based. */
export const cannotParse = (what: string, text: string, column: number, details: string) =>
  new ApiError(400, "PGRST100", `"failed to parse ${what} (${text})" (line 1, column ${column})`, {
    details,
  });

export const badBody = (message: string) => new ApiError(400, "PGRST102", message);

export const badRange = (details: string) =>
  new ApiError(416, "PGRST103", "Requested range not satisfiable", { details });

export const beyondLimit = (what: string, limit: number) =>
  new ApiError(400, "PGRST100", `too many or too long: ${what}`, {
    details: `At most ${limit} are accepted in one request.`,
  });

export const notEmbedded = (name: string) =>
  new ApiError(400, "PGRST108", `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });

export const noRelation = (
  from: string,
  to: string,
  hint: string | undefined,
  schema: string,
  near: string | undefined,
) =>
  new ApiError(
    400,
    "PGRST200",
    `Could not find a relationship between '${from}' and '${to}' in the schema cache`,
    {
      hint: near ?? null,
      details:
        `Searched for a foreign key relationship between '${from}' and '${to}'` +
        `${hint === undefined ? "" : ` using the hint '${hint}'`} in the schema '${schema}', but no matches were found.`,
    },
  );

export const noSuchColumn = (table: string | undefined, column: string, near?: string) =>
  new ApiError(
    400,
    "42703",
    `column ${table === undefined ? `"${column}"` : `${table}.${column}`} does not exist`,
    {
      hint:
        near === undefined
          ? null
          : `Perhaps you meant to reference the column "${table === undefined ? "" : `${table}.`}${near}".`,
    },
  );

export const noSuchBodyColumn = (table: string, column: string) =>
  new ApiError(
    400,
    "PGRST204",
    `Could not find the '${column}' column of '${table}' in the schema cache`,
  );

export const notOneRow = (rows: number) =>
  new ApiError(406, "PGRST116", "JSON object requested, multiple (or no) rows returned", {
    details: `The result contains ${rows} rows`,
  });

export const unsupported = (message: string, hint: string | null = null) =>
  new ApiError(400, "PGRST127", message, { hint });

/** An answer that is not sent, or not even made to its end: then its length is not known. */
export const answerTooLong = (maxBytes: number, bytes?: string) =>
  new ApiError(
    400,
    "54000",
    bytes === undefined
      ? `The answer would be longer than the ${maxBytes} bytes that are sent at most.`
      : `The answer would be ${bytes} bytes long; at most ${maxBytes} are sent.`,
    { hint: "Ask for fewer rows with limit, or for fewer columns with select." },
  );
