import { locateIssues } from "@mainstay/contract";
import type { Locate } from "#platform/require-code.ts";
import { locateInJson } from "#platform/http/locate-in-json.ts";

/** Places in a text of documents, of which one is meant. */
export const inDocument =
  (text: string, document: number): Locate =>
  (findings) =>
    locateIssues(
      text,
      findings.map((finding) => ({ path: ["spec", ...finding.path], document })),
    ).map(({ path, line, column }) => ({ path: path.join("."), line, column }));

/**
 * Places in the rows that were sent over the data API; `row` tells which of a list. None when no spec was sent, or in
 * something else than JSON.
 */
export const inRows =
  (body: string, row: number): Locate =>
  (findings) => {
    const sent = readJson(body);
    const isList = Array.isArray(sent);
    const meant = (isList ? (sent as unknown[])[row] : sent) as { spec?: unknown } | undefined;
    const paths = findings.map((finding) => [...(isList ? [row] : []), "spec", ...finding.path]);
    const places = meant?.spec === undefined ? [] : locateInJson(body, paths);
    return paths.map((path, index) => ({ path: path.join("."), ...places[index] }));
  };

/** A form or CSV is none. */
function readJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
