/** Why a request did not give what was asked for. `status` 0: no answer came. */
export class ApiError extends Error {
  readonly status: number;
  /** The parsed answer, when there was one. */
  readonly body: unknown;
  readonly request: string;

  constructor(
    message: string,
    details: { status: number; request: string; body?: unknown; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.name = "ApiError";
    this.status = details.status;
    this.body = details.body;
    this.request = details.request;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const texts = (values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value.trim() !== "");

/** What a server said went wrong: `error`, else `message`, else the generic text (document 3, section 8). */
export function serverMessage(body: unknown): string {
  if (
    typeof body === "string" &&
    body.trim() !== "" &&
    body.length < 500 &&
    !body.trimStart().startsWith("<")
  ) {
    return body.trim();
  }
  if (!isRecord(body)) return "An error occurred";
  const nested = isRecord(body.error) ? [body.error.reason, body.error.message] : [];
  return texts([body.error, body.message, ...nested]) ?? "An error occurred";
}

/** One thing wrong with what was sent, and where in its text. */
export interface ServerIssue {
  message: string;
  path?: string;
  line?: number;
  column?: number;
}

/** The single problems that a refusal lists. */
export function serverIssues(error: unknown): ServerIssue[] {
  const body = error instanceof ApiError ? error.body : undefined;
  const issues = isRecord(body) && Array.isArray(body.issues) ? body.issues : [];
  return issues.filter(
    (issue): issue is ServerIssue => isRecord(issue) && typeof issue.message === "string",
  );
}

/** A failure in words, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== "") return error.message;
  return "An error occurred";
}

/** A request that somebody gave up: nothing failed, nothing is to be said. */
export const isAborted = (error: unknown): boolean =>
  error instanceof Error && error.name === "AbortError";
