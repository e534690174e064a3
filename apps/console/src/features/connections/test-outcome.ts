import { ApiError } from "#lib/api-error.ts";

/** What is said of a test, and where (document 3, section 8). */
export type TestOutcome =
  | { kind: "done"; text: string }
  | { kind: "failed"; text: string }
  | { kind: "results"; text: string; isJson: boolean };

const failed = "Testing connection failed!";

export const testDone: TestOutcome = { kind: "done", text: "Connection successful" };

export function testFailure(error: unknown): TestOutcome {
  if (!(error instanceof ApiError)) return { kind: "failed", text: failed };
  const { status, body } = error;
  if (status === 501)
    return { kind: "failed", text: "We currently do not support testing this connection type" };
  if (status < 400 || status >= 500) return { kind: "failed", text: failed };
  const said = (body as { error?: unknown } | null | undefined)?.error;
  if (typeof said === "object" && said !== null)
    return { kind: "results", text: JSON.stringify(said, null, 2), isJson: true };
  if (typeof said !== "string" || said.trim() === "")
    return { kind: "results", text: failed, isJson: false };
  try {
    const parsed: unknown = JSON.parse(said);
    if (typeof parsed === "object" && parsed !== null)
      return { kind: "results", text: JSON.stringify(parsed, null, 2), isJson: true };
  } catch {
    // A sentence.
  }
  return { kind: "results", text: said, isJson: false };
}
