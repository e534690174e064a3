import { canaryFormat } from "@mainstay/contract/canary/canary-format.ts";
import { parseCanaryDocuments } from "@mainstay/contract/canary/parse-canary.ts";
import { locateIssues } from "@mainstay/contract/documents/parse-documents.ts";
import type { EditorLanguage } from "@mainstay/ui/yaml-editor/editor-api.ts";
import type { ServerIssue } from "#lib/api-error.ts";
import { documentLanguage, type LanguageOptions } from "#lib/documents/document-language.ts";

export const canaryLanguage = (options?: LanguageOptions): EditorLanguage =>
  documentLanguage([canaryFormat], options);

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
