import { canaryJsonSchema, canarySpecJsonSchema } from "@mainstay/contract/canary/json-schema.ts";
import { parseCanaryDocuments, type Problem } from "@mainstay/contract/canary/parse-canary.ts";
import type { EditorLanguage, EditorProblem } from "@mainstay/ui/yaml-editor/editor-api.ts";
import { describeKey, keyCompletions, valueCompletions, type Schema } from "./schema-help.ts";
import { yamlPlace } from "./yaml-place.ts";

/** Canary documents, or bare specs as the server stores them: problems, completion and help for the editor. */

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The stretch of text that a problem is about: from its place to the end of the word, at least one character. */
function stretch(problem: Problem, text: string, starts: readonly number[]): EditorProblem {
  const from = Math.min(
    text.length,
    (starts[problem.line - 1] ?? text.length) + Math.max(0, problem.column - 1),
  );
  const word = /^[^\s:,#\]}]+/.exec(text.slice(from, from + 200))?.[0] ?? "";
  return {
    from,
    to: Math.min(text.length, from + Math.max(1, word.length)),
    severity: problem.severity,
    message: problem.path === "" ? problem.message : `${problem.path}: ${problem.message}`,
  };
}

export function canaryLanguage({ bare = false }: { bare?: boolean } = {}): EditorLanguage {
  const schema = (bare ? canarySpecJsonSchema() : canaryJsonSchema()) as Schema;
  return {
    check: async (text) => {
      if (text.trim() === "") return [];
      const starts = lineStarts(text);
      return parseCanaryDocuments(text, { bare }).problems.map((problem) =>
        stretch(problem, text, starts),
      );
    },
    complete: async (text, offset) => {
      const place = yamlPlace(text, offset);
      const options =
        place.openKey === undefined
          ? keyCompletions(schema, place.path, place.siblings)
          : valueCompletions(schema, place.path, place.openKey);
      return { from: place.from, options };
    },
    describe: async (text, offset) => {
      const lineEnd = text.indexOf("\n", offset);
      const place = yamlPlace(text, lineEnd < 0 ? text.length : lineEnd);
      const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
      if (place.openKey === undefined) return null;
      const from = text.indexOf(place.openKey, lineStart);
      const to = from + place.openKey.length;
      // Only the key explains itself, not what is written behind it.
      if (from < lineStart || offset < from || offset > to) return null;
      const description = describeKey(schema, place.path, place.openKey);
      return description === undefined ? null : { from, to, text: description };
    },
  };
}

export { parseCanaryDocuments };
