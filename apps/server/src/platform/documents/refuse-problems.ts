import { locateIssues, type ParsedDocument, type Problem } from "@mainstay/contract";
import { AppError, type ErrorCode, type Issue } from "../errors.ts";
import type { KeyedIssue } from "../http/refuse-places.ts";

/** Refuses a text for what is wrong in it. */
export function refuseProblems(
  problems: readonly Issue[],
  {
    what = "Nothing was saved.",
    code = "invalid",
    beside,
  }: { what?: string; code?: ErrorCode; beside?: object } = {},
): AppError {
  const first = problems[0]!;
  const where = `line ${first.line}, column ${first.column}: ${first.path ? `${first.path}: ` : ""}${first.message}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError(code, `${what} ${where}${more}`, {
    issues: problems.map(({ path, message, line, column }) => ({ path, message, line, column })),
    ...(beside && { beside }),
  });
}

/** What only showed when a document was saved, as problems of its text. */
export function placeIssues(
  text: string,
  { index }: Pick<ParsedDocument, "index">,
  found: readonly KeyedIssue[],
): Problem[] {
  const issues = found.map((issue) => ({ ...issue, document: index }));
  return locateIssues(text, issues).map(({ path, message, line, column }) => ({
    severity: "error",
    path: path.join("."),
    message,
    line,
    column,
    document: index,
  }));
}
