import { canaryJsonSchema, canarySpecJsonSchema } from "@mainstay/contract/canary/json-schema.ts";
import { codeInCanarySpec } from "@mainstay/contract/canary/code-in-spec.ts";
import {
  type CanaryDocument,
  parseCanaryDocuments,
} from "@mainstay/contract/canary/parse-canary.ts";
import { locateIssues, type Problem } from "@mainstay/contract/documents/parse-documents.ts";
import { codeDeed } from "@mainstay/contract/server-code.ts";
import type { EditorLanguage, EditorProblem } from "@mainstay/ui/yaml-editor/editor-api.ts";
import { formatYaml } from "@mainstay/ui/yaml-editor/format-yaml.ts";
import type { ServerIssue } from "#lib/api-error.ts";
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

interface LanguageOptions {
  /** A spec alone, as the server stores it. */
  bare?: boolean;
  /** Why whoever edits may not save what reaches into the server's machine; nothing when they may. */
  whyNoCode?: string | undefined;
}

/** The parts of documents that whoever edits may not save, each where it stands. */
function refusedCode(
  text: string,
  documents: readonly CanaryDocument[],
  { bare = false, whyNoCode }: LanguageOptions,
): Problem[] {
  if (whyNoCode === undefined) return [];
  const found = documents.flatMap((document) =>
    codeInCanarySpec(document.source).map((finding) => ({
      severity: "warning" as const,
      path: [...(bare ? [] : ["spec"]), ...finding.path],
      message: `${codeDeed(finding)}. ${whyNoCode}`,
      document: document.index,
    })),
  );
  return locateIssues(text, found).map((problem) => ({ ...problem, path: problem.path.join(".") }));
}

export function canaryLanguage(options: LanguageOptions = {}): EditorLanguage {
  const { bare = false } = options;
  const schema = (bare ? canarySpecJsonSchema() : canaryJsonSchema()) as Schema;
  return {
    check: async (text) => {
      if (text.trim() === "") return [];
      const starts = lineStarts(text);
      const { documents, problems } = parseCanaryDocuments(text, { bare });
      return [...problems, ...refusedCode(text, documents, options)].map((problem) =>
        stretch(problem, text, starts),
      );
    },
    format: async (text) => formatYaml(text),
    ...schemaHelp(schema),
  };
}

/** What the server says about a row that was sent, placed in the text that the row was made of. */
export function placeInText(
  text: string,
  issues: readonly ServerIssue[],
  { bare = false, several = false }: { bare?: boolean; several?: boolean } = {},
): (Omit<ServerIssue, "path"> & { path: string })[] {
  return issues.map((issue) => {
    const [, row = "0", column = ""] =
      (several ? /^(\d+)\.(.*)$/s : /^()(.*)$/s).exec(issue.path ?? "") ?? [];
    const { message, path = "" } = issue;
    const isSpec = /^spec(\.|$)/.test(column);
    // Of a stored document the editor holds the spec alone.
    if (bare && !isSpec) return { message, path };
    const inText = bare ? column.slice("spec.".length) : isSpec ? column : `metadata.${column}`;
    const [placed] = locateIssues(text, [{ path: inText, document: Number(row) }]);
    return { message, path: inText, line: placed!.line, column: placed!.column };
  });
}

export { parseCanaryDocuments };
