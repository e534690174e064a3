import type { Span } from "../lines/spans.ts";
import { type CodeLanguage, highlightLine, type TokenKind } from "./highlight.ts";

const colours: Record<TokenKind, string> = {
  key: "text-(--syntax-key)",
  string: "text-(--syntax-string)",
  number: "text-(--syntax-number)",
  keyword: "text-(--syntax-keyword)",
  comment: "text-(--syntax-comment) italic",
  plain: "",
};

const spansIn =
  (language: CodeLanguage) =>
  (line: string): Span[] =>
    highlightLine(line, language).map(({ kind, text }) => ({ text, className: colours[kind] }));

/** A line of code as pieces in their colours, for each language. */
export const codeSpans: Record<CodeLanguage, (line: string) => Span[]> = {
  yaml: spansIn("yaml"),
  json: spansIn("json"),
  text: spansIn("text"),
};
