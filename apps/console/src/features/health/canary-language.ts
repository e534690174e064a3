import { canaryJsonSchema, canarySpecJsonSchema } from "@mainstay/contract/canary/json-schema.ts";
import { parseCanaryDocuments, type Problem } from "@mainstay/contract/canary/parse-canary.ts";
import type { EditorLanguage, EditorProblem } from "@mainstay/ui/yaml-editor/editor-api.ts";
import { formatYaml } from "@mainstay/ui/yaml-editor/format-yaml.ts";
import { type Schema, schemaHelp } from "@mainstay/ui/yaml-editor/schema-help.ts";

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
    format: async (text) => formatYaml(text),
    ...schemaHelp(schema),
  };
}

export { parseCanaryDocuments };
