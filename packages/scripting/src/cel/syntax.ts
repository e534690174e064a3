import { type CelValue, Uint } from "./cel-values.ts";
import { Mistake } from "./mistake.ts";

/** What a text says. `at` is an offset in it. */
export type Node =
  | { kind: "literal"; at: number; value: CelValue }
  | { kind: "name"; at: number; name: string }
  | { kind: "select"; at: number; operand: Node; field: string; optional: boolean }
  | { kind: "index"; at: number; operand: Node; index: Node; optional: boolean }
  | { kind: "call"; at: number; target: Node | undefined; name: string; args: Node[] }
  | { kind: "list"; at: number; items: { value: Node; optional: boolean }[] }
  | { kind: "map"; at: number; entries: { key: Node; value: Node; optional: boolean }[] }
  | { kind: "unary"; at: number; operator: "!" | "-"; operand: Node }
  | { kind: "binary"; at: number; operator: BinaryOperator; left: Node; right: Node }
  | { kind: "logic"; at: number; operator: "&&" | "||"; operands: Node[] }
  | { kind: "choose"; at: number; condition: Node; yes: Node; no: Node };

export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "in";

type Token =
  | { kind: "name" | "escaped" | "mark"; at: number; text: string }
  | { kind: "literal"; at: number; text: string; value: CelValue; number: boolean }
  | { kind: "end"; at: number; text: string };

const reserved = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const relations = new Set(["==", "!=", "<", "<=", ">", ">=", "in"]);
/** Operators or accesses in a row: each makes the tree a level deeper. */
const LINKS = 1_000;
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

/** @throws Mistake with the offset where the text stops being an expression. */
export function parse(text: string, { depth }: { depth: number }): Node {
  // Documents have their expressions in folded blocks or in plain ones and mean the same: a line has no end here.
  const tokens = read(text.replace(/[\r\n]/g, " "));
  let place = 0;
  let level = 0;

  const peek = () => tokens[place]!;
  const next = () => tokens[place++]!;
  const is = (mark: string) => {
    const token = peek();
    return (
      token.text === mark && (token.kind === "mark" || (mark === "in" && token.kind === "name"))
    );
  };
  const take = (mark: string) => (is(mark) ? next() : undefined);
  const expect = (mark: string) => take(mark) ?? unexpected(`"${mark}"`);

  function unexpected(wanted?: string): never {
    const token = peek();
    const found = token.kind === "end" ? "the end of the expression" : `"${token.text}"`;
    throw new Mistake(
      `syntax error: ${wanted ? `expected ${wanted} but found ${found}` : `unexpected ${found}`}`,
      { at: token.at },
    );
  }

  function nested<T>(work: () => T): T {
    if (++level > depth)
      throw new Mistake(`the expression is nested more than ${depth} levels deep`, {
        at: peek().at,
      });
    const found = work();
    level -= 1;
    return found;
  }

  function expression(): Node {
    return nested(() => {
      const condition = logic("||");
      const mark = take("?");
      if (!mark) return condition;
      const yes = logic("||");
      expect(":");
      return { kind: "choose", at: mark.at, condition, yes, no: expression() };
    });
  }

  function logic(operator: "&&" | "||"): Node {
    const operand = operator === "||" ? () => logic("&&") : relation;
    const first = operand();
    if (!is(operator)) return first;
    const { at } = peek();
    const operands = [first];
    while (take(operator)) operands.push(operand());
    return { kind: "logic", at, operator, operands };
  }

  /** Operators of one rank, from the left; each makes the tree a level deeper. */
  function chain(operand: () => Node, isOperator: (mark: string) => boolean): Node {
    let left = operand();
    for (let links = 1; isOperator(peek().text) && (peek().kind === "mark" || is("in")); links++) {
      const { at, text } = next();
      if (links > LINKS) throw new Mistake(`more than ${LINKS} operators in a row`, { at });
      left = { kind: "binary", at, operator: text as BinaryOperator, left, right: operand() };
    }
    return left;
  }

  const relation = () => chain(sum, (mark) => relations.has(mark));
  const sum = () => chain(product, (mark) => mark === "+" || mark === "-");
  const product = () => chain(unary, (mark) => mark === "*" || mark === "/" || mark === "%");

  function unary(): Node {
    const mark = take("!") ?? take("-");
    if (!mark) return member();
    const after = peek();
    if (mark.text === "-" && after.kind === "literal" && after.number) {
      const { value } = after;
      if (typeof value === "bigint" || typeof value === "number") {
        after.value = -value;
        return member();
      }
    }
    return nested(() => ({
      kind: "unary",
      at: mark.at,
      operator: mark.text as "!" | "-",
      operand: unary(),
    }));
  }

  function member(): Node {
    let node = primary();
    for (let links = 1; ; links++) {
      const { at } = peek();
      if (links > LINKS) throw new Mistake(`more than ${LINKS} accesses in a row`, { at });
      if (take(".")) {
        const optional = take("?") !== undefined;
        const field = next();
        if (field.kind !== "name" && field.kind !== "escaped") {
          place -= 1;
          unexpected("a field or method");
        }
        if (field.kind === "name" && ["in", "true", "false", "null"].includes(field.text)) {
          place -= 1;
          unexpected("a field or method");
        }
        if (!optional && field.kind === "name" && is("("))
          node = { kind: "call", at: field.at, target: node, name: field.text, args: args() };
        else node = { kind: "select", at: field.at, operand: node, field: field.text, optional };
      } else if (take("[")) {
        const optional = take("?") !== undefined;
        const index = expression();
        expect("]");
        node = { kind: "index", at, operand: node, index, optional };
      } else return node;
    }
  }

  function args(): Node[] {
    expect("(");
    const found: Node[] = [];
    while (!is(")")) {
      found.push(expression());
      if (!take(",")) break;
    }
    expect(")");
    return found;
  }

  function primary(): Node {
    const token = next();
    if (token.kind === "literal") {
      if (typeof token.value === "bigint" && token.value > INT_MAX)
        throw new Mistake(`${token.text} is too large for an int`, { at: token.at });
      return { kind: "literal", at: token.at, value: token.value };
    }
    if (token.kind === "name") return named(token);
    if (token.kind === "mark") {
      if (token.text === ".") {
        const name = next();
        if (name.kind === "name") return named(name);
        place -= 1;
        return unexpected("a name");
      }
      if (token.text === "(") {
        const inner = expression();
        expect(")");
        return inner;
      }
      if (token.text === "[") return list(token.at);
      if (token.text === "{") return map(token.at);
    }
    place -= 1;
    return unexpected();
  }

  function named({ at, text }: { at: number; text: string }): Node {
    if (text === "true" || text === "false") return { kind: "literal", at, value: text === "true" };
    if (text === "null") return { kind: "literal", at, value: null };
    if (text === "in" || reserved.has(text))
      throw new Mistake(`syntax error: "${text}" is reserved, and no name`, { at });
    if (is("(")) return { kind: "call", at, target: undefined, name: text, args: args() };
    return { kind: "name", at, name: text };
  }

  function list(at: number): Node {
    const items: { value: Node; optional: boolean }[] = [];
    while (!is("]")) {
      const optional = take("?") !== undefined;
      items.push({ value: expression(), optional });
      if (!take(",")) break;
    }
    expect("]");
    return { kind: "list", at, items };
  }

  function map(at: number): Node {
    const entries: { key: Node; value: Node; optional: boolean }[] = [];
    while (!is("}")) {
      const optional = take("?") !== undefined;
      const key = expression();
      expect(":");
      entries.push({ key, value: expression(), optional });
      if (!take(",")) break;
    }
    expect("}");
    return { kind: "map", at, entries };
  }

  const whole = expression();
  if (peek().kind !== "end") unexpected();
  return whole;
}

const marks = /==|!=|<=|>=|&&|\|\||[-+*/%<>!?:.,()[\]{}]/y;
const names = /[A-Za-z_][A-Za-z0-9_]*/y;
const escapedNames = /`([A-Za-z0-9_.\-/ ]+)`/y;
const blanks = /(?:[ \t\f\v]|\/\/.*)+/y;
const numbers =
  /0[xX]([0-9a-fA-F]+)([uU])?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+([uU])?/y;
const quotes = /([bB]?[rR]?|[rR][bB])("""|'''|"|')/y;

function read(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at += found[0].length;
    return found;
  };
  for (;;) {
    match(blanks);
    const start = at;
    if (at === text.length) {
      tokens.push({ kind: "end", at, text: "" });
      return tokens;
    }
    const quote = match(quotes);
    if (quote) {
      const value = quoted(text, start, at, quote[1]!.toLowerCase(), quote[2]!);
      at = value.end;
      tokens.push({
        kind: "literal",
        at: start,
        text: text.slice(start, at),
        value: value.value,
        number: false,
      });
      continue;
    }
    const name = match(names);
    if (name) {
      tokens.push({ kind: "name", at: start, text: name[0] });
      continue;
    }
    const after = tokens.at(-1);
    // `a.0` is no number after a name.
    const number = text[at] === "." && after && after.kind !== "mark" ? undefined : match(numbers);
    if (number) {
      tokens.push({
        kind: "literal",
        at: start,
        text: number[0],
        value: numberOf(number[0], start),
        number: true,
      });
      continue;
    }
    const escaped = match(escapedNames);
    if (escaped) {
      tokens.push({ kind: "escaped", at: start, text: escaped[1]! });
      continue;
    }
    const mark = match(marks);
    if (!mark)
      throw new Mistake(
        `syntax error: "${String.fromCodePoint(text.codePointAt(at)!)}" has no meaning here`,
        { at },
      );
    tokens.push({ kind: "mark", at: start, text: mark[0] });
  }
}

function numberOf(text: string, at: number): CelValue {
  if (/^0[xX]/.test(text) || /^\d+[uU]?$/.test(text)) {
    const unsigned = /[uU]$/.test(text);
    const value = BigInt(unsigned ? text.slice(0, -1) : text);
    // One more than the largest int is the smallest, once its sign is seen.
    if (value > (unsigned ? UINT_MAX : INT_MAX + 1n))
      throw new Mistake(`${text} is too large for ${unsigned ? "a uint" : "an int"}`, { at });
    return unsigned ? new Uint(value) : value;
  }
  return Number(text);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
};

function quoted(
  text: string,
  start: number,
  from: number,
  prefix: string,
  quote: string,
): { value: CelValue; end: number } {
  const raw = prefix.includes("r");
  const bytes: number[] | undefined = prefix.includes("b") ? [] : undefined;
  const encoder = new TextEncoder();
  let string = "";
  const add = (part: string) => {
    if (bytes) bytes.push(...encoder.encode(part));
    else string += part;
  };
  let at = from;
  for (;;) {
    if (at >= text.length)
      throw new Mistake(`syntax error: the string that begins here has no end`, { at: start });
    if (text.startsWith(quote, at)) break;
    const char = String.fromCodePoint(text.codePointAt(at)!);
    if (char !== "\\" || raw) {
      add(char);
      at += char.length;
      continue;
    }
    const escape = text[at + 1] ?? "";
    const simple = Object.hasOwn(simpleEscapes, escape) ? simpleEscapes[escape] : undefined;
    if (simple !== undefined) {
      add(simple);
      at += 2;
      continue;
    }
    const coded =
      /^\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/.exec(
        text.slice(at, at + 10),
      );
    if (!coded) throw new Mistake(`syntax error: unknown escape "\\${escape}"`, { at });
    const [all, byte, four, eight, octal] = coded;
    const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(byte ?? four ?? eight!, 16);
    if (bytes && (byte || octal)) bytes.push(code);
    else if (bytes || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      throw new Mistake(`syntax error: "${all}" is no character`, { at });
    else add(String.fromCodePoint(code));
    at += all.length;
  }
  return { value: bytes ? new Uint8Array(bytes) : string, end: at + quote.length };
}
