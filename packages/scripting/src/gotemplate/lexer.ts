import { mistake, type Source } from "./source.ts";

export type TokenKind =
  | "text"
  | "left"
  | "right"
  | "space"
  | "identifier"
  | "field"
  | "variable"
  | "dot"
  | "nil"
  | "bool"
  | "number"
  | "char"
  | "string"
  | "pipe"
  | "("
  | ")"
  | ","
  | "="
  | ":="
  | "keyword"
  | "comment"
  | "end";

export interface Token {
  kind: TokenKind;
  text: string;
  /** Where it begins in the text of the template. */
  at: number;
}

const keywords = new Set([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "range",
  "template",
  "with",
]);

/** Stands before and after the number of a value that an earlier pass printed. */
export const valueMark = "\ue000";

const isSpace = (c: string | undefined): boolean =>
  c === " " || c === "\t" || c === "\r" || c === "\n";
const isAlphanumeric = (c: string): boolean => /^[\p{L}\p{Nd}_]$/u.test(c);

const trimLeft = (text: string): string => text.replace(/^[ \t\r\n]+/, "");
function trimRight(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text[end - 1])) end--;
  return text.slice(0, end);
}

const quoteChar = (c: string): string =>
  c === ""
    ? "EOF"
    : `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")} '${c}'`;

/** Cuts a template into tokens as Go's does: spaces inside actions count, since `.a .b` is not `.a.b`. */
export function tokenize(source: Source, delimiters: readonly [string, string]): Token[] {
  const input = source.text;
  const [left, right] = delimiters;
  const tokens: Token[] = [];
  let at = 0;
  let trimNext = false;

  const fail = (message: string, place = at): never => {
    throw mistake(source, place, message);
  };
  const pushText = (from: number, to: number, trimEnd: boolean): void => {
    let text = input.slice(from, to);
    if (trimNext) {
      const trimmed = trimLeft(text);
      from += text.length - trimmed.length;
      text = trimmed;
    }
    if (trimEnd) text = trimRight(text);
    if (text !== "") tokens.push({ kind: "text", text, at: from });
    trimNext = false;
  };
  const atRight = (): { trim: boolean; length: number } | undefined => {
    if (isSpace(input[at]) && input[at + 1] === "-" && input.startsWith(right, at + 2)) {
      return { trim: true, length: 2 + right.length };
    }
    return input.startsWith(right, at) ? { trim: false, length: right.length } : undefined;
  };

  while (at < input.length) {
    const begin = input.indexOf(left, at);
    if (begin < 0) {
      pushText(at, input.length, false);
      at = input.length;
      break;
    }
    const afterLeft = begin + left.length;
    const trims = input[afterLeft] === "-" && isSpace(input[afterLeft + 1]);
    pushText(at, begin, trims);
    at = afterLeft + (trims ? 2 : 0);
    if (input.startsWith("/*", at)) {
      const close = input.indexOf("*/", at + 2);
      if (close < 0) fail("unclosed comment", begin);
      at = close + 2;
      const end = atRight();
      if (end === undefined) return fail("comment ends before closing delimiter", begin);
      at += end.length;
      trimNext = end.trim;
      continue;
    }
    tokens.push({ kind: "left", text: left, at: begin });
    action(begin);
  }
  tokens.push({ kind: "end", text: "", at: input.length });
  return tokens;

  function action(begin: number): void {
    let depth = 0;
    for (;;) {
      const end = atRight();
      if (end !== undefined) {
        if (depth > 0) fail("unclosed left paren");
        tokens.push({ kind: "right", text: right, at });
        at += end.length;
        trimNext = end.trim;
        return;
      }
      if (at >= input.length) fail("unclosed action", begin);
      const start = at;
      const c = String.fromCodePoint(input.codePointAt(at) ?? 0);
      const push = (kind: TokenKind): void => {
        tokens.push({ kind, text: input.slice(start, at), at: start });
      };
      if (isSpace(c)) {
        while (isSpace(input[at]) && (at === start || atRight()?.trim !== true)) at++;
        push("space");
      } else if (c === "=" || c === "," || c === ")" || c === "(") {
        at++;
        if (c === "(") depth++;
        if (c === ")" && --depth < 0) fail("unexpected right paren", start);
        push(c);
      } else if (c === ":") {
        at += 2;
        if (input[start + 1] !== "=") fail("expected :=", start);
        push(":=");
      } else if (c === "|") {
        at++;
        push("pipe");
      } else if (c === '"') {
        quoted('"');
        push("string");
      } else if (c === "`") {
        const close = input.indexOf("`", at + 1);
        if (close < 0) fail("unterminated raw quoted string", start);
        at = close + 1;
        push("string");
      } else if (c === "'") {
        quoted("'");
        push("char");
      } else if (c === "$" || (c === "." && !/\d/.test(input[at + 1] ?? ""))) {
        at++;
        while (at < input.length && isAlphanumeric(peek())) at += peek().length;
        if (at === start + 1) push(c === "$" ? "variable" : "dot");
        else push(c === "$" ? "variable" : "field");
        ended(start);
      } else if (c === "+" || c === "-" || c === "." || /[0-9]/.test(c)) {
        number(start);
        push("number");
      } else if (isAlphanumeric(c)) {
        while (at < input.length && isAlphanumeric(peek())) at += peek().length;
        const word = input.slice(start, at);
        ended(start);
        push(
          keywords.has(word)
            ? "keyword"
            : word === "true" || word === "false"
              ? "bool"
              : word === "nil"
                ? "nil"
                : "identifier",
        );
      } else if (c === valueMark) {
        fail("what a value printed can be text of an expression only in quotes", start);
      } else fail(`unrecognized character in action: ${quoteChar(c)}`, start);
    }
  }

  function peek(): string {
    return at < input.length ? String.fromCodePoint(input.codePointAt(at) ?? 0) : "";
  }

  /** After a name nothing may stand that would run into it. */
  function ended(start: number): void {
    const c = peek();
    if (c === "" || isSpace(c) || ".,|:()=".includes(c) || input.startsWith(right, at)) return;
    fail(`bad character ${quoteChar(c)}`, Math.max(start, at));
  }

  function quoted(quote: string): void {
    const start = at;
    for (at++; ; at++) {
      const c = input[at];
      if (c === "\\" && input[at + 1] !== undefined && input[at + 1] !== "\n") at++;
      else if (c === undefined || c === "\n") {
        fail(
          quote === '"' ? "unterminated quoted string" : "unterminated character constant",
          start,
        );
      } else if (c === quote) {
        at++;
        return;
      }
    }
  }

  function number(start: number): void {
    const match =
      /^[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*|0[bB][01_]*|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/.exec(
        input.slice(at, at + 1000),
      );
    at += match?.[0].length ?? 0;
    if (at === start || isAlphanumeric(peek())) {
      at += peek().length;
      fail(`bad number syntax: ${JSON.stringify(input.slice(start, at))}`, start);
    }
  }
}
