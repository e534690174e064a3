import { locateIssues, type ParsedDocument, type Problem } from "@mainstay/contract";
import { AppError } from "../errors.ts";
import type { RefusedSecret } from "../sealing/sealing-refusal.ts";

/** Refuses a text for what is wrong in it. */
export function refuseProblems(
  problems: readonly Problem[],
  what = "Nothing was saved.",
): AppError {
  const first = problems[0]!;
  const where = `line ${first.line}, column ${first.column}: ${first.path ? `${first.path}: ` : ""}${first.message}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new AppError("invalid", `${what} ${where}${more}`, {
    issues: problems.map(({ path, message, line, column }) => ({ path, message, line, column })),
  });
}

/** Placeholders that nothing stands behind, as problems of the text. */
export function placeRefused(
  text: string,
  { index }: Pick<ParsedDocument, "index">,
  refused: readonly RefusedSecret[],
): Problem[] {
  const issues = refused.map((issue) => ({ ...issue, document: index }));
  return locateIssues(text, issues).map(({ path, message, line, column }) => ({
    severity: "error",
    path: path.join("."),
    message,
    line,
    column,
    document: index,
  }));
}
