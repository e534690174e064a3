export type CodeLanguage = "yaml" | "json" | "text";
export type TokenKind = "key" | "string" | "number" | "keyword" | "comment" | "plain";

export interface Token {
  kind: TokenKind;
  text: string;
}

const longestLine = 2_000;

const yamlLine = /^(\s*(?:- )*)(?:("[^"]*"|'[^']*'|[^\s:#"'][^:#]*?)(:)(?=\s|$))?(\s*)(.*)$/;

function value(text: string): Token[] {
  const comment = /(^|\s)#.*$/.exec(text);
  const isQuoted = /^\s*["']/.test(text);
  if (comment && !isQuoted) {
    return [
      ...value(text.slice(0, comment.index)),
      { kind: "comment", text: text.slice(comment.index) },
    ];
  }
  if (text === "") return [];
  const trimmed = text.trim();
  if (trimmed.startsWith("#")) return [{ kind: "comment", text }];
  if (/^-?\d[\d_]*(\.\d+)?([eE][+-]?\d+)?$/.test(trimmed)) return [{ kind: "number", text }];
  if (/^(true|false|null|~)$/.test(trimmed) || /^[|>][+-]?\d?$/.test(trimmed))
    return [{ kind: "keyword", text }];
  return [{ kind: "string", text }];
}

function yaml(line: string): Token[] {
  const match = yamlLine.exec(line);
  if (!match) return [{ kind: "plain", text: line }];
  const [, lead = "", key, colon, gap = "", rest = ""] = match;
  if (/^\s*(---|\.\.\.)\s*$/.test(line)) return [{ kind: "keyword", text: line }];
  const tokens: Token[] = [{ kind: "plain", text: lead }];
  if (key !== undefined)
    tokens.push({ kind: "key", text: key }, { kind: "plain", text: colon ?? "" });
  tokens.push({ kind: "plain", text: gap }, ...value(rest));
  return tokens.filter((token) => token.text !== "");
}

function json(line: string): Token[] {
  const tokens: Token[] = [];
  for (const [text, string, colon, number, word] of line.matchAll(
    /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(\btrue\b|\bfalse\b|\bnull\b)|[^"\dtfn-]+|./g,
  )) {
    if (string !== undefined) {
      tokens.push({ kind: colon === undefined ? "string" : "key", text: string });
      if (colon !== undefined) tokens.push({ kind: "plain", text: colon });
    } else {
      tokens.push({
        kind: number !== undefined ? "number" : word !== undefined ? "keyword" : "plain",
        text,
      });
    }
  }
  return tokens;
}

/** One line of code as coloured pieces; joined they are the line. Very long lines are left plain. */
export function highlightLine(line: string, language: CodeLanguage): Token[] {
  if (language === "text" || line.length > longestLine) return [{ kind: "plain", text: line }];
  return language === "yaml" ? yaml(line) : json(line);
}
