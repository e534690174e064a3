import type { DocumentFormat } from "@mainstay/contract/documents/document-format.ts";
import { jsonSchemaOf } from "@mainstay/contract/documents/json-schema.ts";
import {
  locateIssues,
  type ParsedDocument,
  parseDocuments,
  type Problem,
} from "@mainstay/contract/documents/parse-documents.ts";
import { codeDeed } from "@mainstay/contract/server-code.ts";
import type { EditorLanguage, EditorProblem } from "@mainstay/ui/yaml-editor/editor-api.ts";
import { formatYaml } from "@mainstay/ui/yaml-editor/format-yaml.ts";
import { type Schema, schemaHelp } from "@mainstay/ui/yaml-editor/schema-help.ts";

/** Documents of some kinds: problems, completion and help for the editor. */

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

export interface LanguageOptions {
  /** Why whoever edits may not save what reaches into the server's machine; nothing when they may. */
  whyNoCode?: string | undefined;
}

/** The parts of documents that whoever edits may not save, each where it stands. */
function refusedCode(
  text: string,
  documents: readonly ParsedDocument[],
  { whyNoCode }: LanguageOptions,
): Problem[] {
  if (whyNoCode === undefined) return [];
  const found = documents.flatMap(({ format, source, index }) =>
    (format.codeIn?.(source) ?? []).map((finding) => ({
      severity: "warning" as const,
      path: ["spec", ...finding.path],
      message: `${codeDeed(finding)}. ${whyNoCode}`,
      document: index,
    })),
  );
  return locateIssues(text, found).map((problem) => ({ ...problem, path: problem.path.join(".") }));
}

/** What the document says it is in which a place lies. */
export function kindAt(text: string, offset: number): string | undefined {
  const starts = Array.from(text.matchAll(/^---(?=\s|$)/gm), ({ index }) => index);
  const start = starts.findLast((at) => at <= offset) ?? 0;
  const end = starts.find((at) => at > offset) ?? text.length;
  return /^kind:[ \t]*["']?(\w+)/m.exec(text.slice(start, end))?.[1];
}

/** Of several kinds, completion and help are those of the document in which they are asked for. */
export function documentLanguage(
  formats: readonly DocumentFormat[],
  options: LanguageOptions = {},
): EditorLanguage {
  const helps = formats.map((format) => ({
    kind: format.kind,
    ...schemaHelp(jsonSchemaOf(format.envelope) as Schema),
  }));
  const helpAt = (text: string, offset: number) => {
    const kind = helps.length > 1 ? kindAt(text, offset) : undefined;
    return helps.find((help) => help.kind === kind) ?? helps[0];
  };
  return {
    check: async (text) => {
      if (text.trim() === "") return [];
      const starts = lineStarts(text);
      const { documents, problems } = parseDocuments(text, { formats });
      return [...problems, ...refusedCode(text, documents, options)].map((problem) =>
        stretch(problem, text, starts),
      );
    },
    format: async (text) => formatYaml(text),
    complete: async (text, offset) => (await helpAt(text, offset)?.complete(text, offset)) ?? null,
    describe: async (text, offset) => (await helpAt(text, offset)?.describe(text, offset)) ?? null,
  };
}
