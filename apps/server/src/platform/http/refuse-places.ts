import { AppError, type Issue } from "../errors.ts";
import { locateInJson } from "./locate-in-json.ts";

/** An issue whose path is still a list of keys, so that keys with dots can be found in a text. */
export interface KeyedIssue extends Omit<Issue, "path"> {
  path: readonly (string | number)[];
}

/** Refuses a JSON body for what is wrong in it, each with its place. */
export function refusePlaces(what: string, body: string, issues: readonly KeyedIssue[]): AppError {
  const places = locateInJson(
    body,
    issues.map((issue) => issue.path),
  );
  const placed = issues.map((issue, index) => ({
    ...issue,
    path: issue.path.join("."),
    ...places[index]!,
  }));
  const first = placed[0]!;
  const more = placed.length > 1 ? ` (and ${placed.length - 1} more)` : "";
  return new AppError(
    "invalid",
    `${what} Line ${first.line}, column ${first.column}: ${first.path}: ${first.message}${more}`,
    { issues: placed },
  );
}
