import { RE2JS, RE2JSException } from "re2js";
import { ScriptError } from "../script-error.ts";
import {
  type Comparison,
  type Expression,
  type FunctionName,
  functionTypes,
  isSingular,
  type Query,
  type Segment,
  type Selector,
  type Type,
} from "./syntax.ts";

/**
 * Reads JSONPath: RFC 9535 to the letter (`strict`), or with what documents of people hold besides: no root (`a.b`,
 * `@.a`, `[0]`), names with a hyphen, and in filters `=~ /re/i`, `in [...]`, `exists`, `has` and `empty`.
 */

const nameFirst = /[A-Za-z_\u0080-\u{10FFFF}]/u;
const nameMore = /[\w\u0080-\u{10FFFF}]/u;
const nameOfPeople = /[\w\u0080-\u{10FFFF}-]/u;
const isLoneSurrogate = (character: string) => /^[\uD800-\uDFFF]$/.test(character);
const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
};
const comparisons: readonly Comparison[] = ["==", "!=", "<=", ">=", "<", ">"];
const presence = { exists: false, has: false, empty: true } as const;

export interface ParseOptions {
  strict: boolean;
  /** Of brackets, parentheses and calls within each other. */
  depth: number;
}

export function parseQuery(text: string, options: ParseOptions): Query {
  return new Parser(text, options).read();
}

class Parser {
  readonly #text: string;
  readonly #strict: boolean;
  readonly #depth: number;
  #at = 0;
  #level = 0;

  constructor(text: string, { strict, depth }: ParseOptions) {
    this.#text = strict ? text : text.trim();
    this.#strict = strict;
    this.#depth = depth;
  }

  read(): Query {
    const query = this.#rooted();
    if (this.#at < this.#text.length) this.#fail(`unexpected ${this.#shown()}`);
    return query;
  }

  #rooted(): Query {
    if (this.#take("$")) return { root: "$", segments: this.#segments() };
    if (this.#strict) this.#fail("a path starts with $");
    if (this.#take("@")) return { root: "$", segments: this.#segments() };
    if (this.#peek() === "." || this.#peek() === "[")
      return { root: "$", segments: this.#segments() };
    const first: Segment = { descends: false, selectors: [this.#shorthand()] };
    return { root: "$", segments: [first, ...this.#segments()] };
  }

  #segments(): Segment[] {
    const segments: Segment[] = [];
    for (;;) {
      const before = this.#at;
      this.#space();
      if (this.#take("..")) {
        const selectors = this.#peek() === "[" ? this.#bracketed() : [this.#shorthand()];
        segments.push({ descends: true, selectors });
      } else if (this.#take("."))
        segments.push({ descends: false, selectors: [this.#shorthand()] });
      else if (this.#peek() === "[")
        segments.push({ descends: false, selectors: this.#bracketed() });
      else {
        this.#at = before;
        return segments;
      }
    }
  }

  #shorthand(): Selector {
    if (this.#take("*")) return { kind: "wildcard" };
    return { kind: "name", name: this.#name() };
  }

  #name(): string {
    let name = "";
    for (;;) {
      const character = this.#character();
      const isPart = name === "" ? nameFirst : this.#strict ? nameMore : nameOfPeople;
      if (character === "" || isLoneSurrogate(character) || !isPart.test(character)) break;
      name += character;
      this.#at += character.length;
    }
    if (name === "") this.#fail(`a name is expected, not ${this.#shown()}`);
    return name;
  }

  #bracketed(): Selector[] {
    return this.#nested(() => {
      this.#expect("[");
      const selectors: Selector[] = [];
      do {
        this.#space();
        selectors.push(this.#selector());
        this.#space();
      } while (this.#take(","));
      this.#expect("]");
      return selectors;
    });
  }

  #selector(): Selector {
    const next = this.#peek();
    if (next === "'" || next === '"') return { kind: "name", name: this.#string() };
    if (this.#take("*")) return { kind: "wildcard" };
    if (this.#take("?")) {
      this.#space();
      return { kind: "filter", test: this.#logical() };
    }
    if (next !== ":" && next !== "-" && !/^\d$/.test(next))
      this.#fail(`a selector is expected, not ${this.#shown()}`);
    const start = next === ":" ? undefined : this.#integer();
    const after = this.#at;
    this.#space();
    if (!this.#take(":")) {
      this.#at = after;
      return { kind: "index", index: start! };
    }
    this.#space();
    const end = this.#optionalInteger();
    this.#space();
    if (!this.#take(":")) return { kind: "slice", start, end, step: 1 };
    this.#space();
    return { kind: "slice", start, end, step: this.#optionalInteger() ?? 1 };
  }

  #optionalInteger(): number | undefined {
    return /^[-\d]$/.test(this.#peek()) ? this.#integer() : undefined;
  }

  #integer(): number {
    const found = this.#pattern(/(?:0|-?[1-9]\d*)(?!\d)/y);
    if (found === undefined) this.#fail(`a whole number is expected, not ${this.#shown()}`);
    const value = Number(found);
    if (!Number.isSafeInteger(value)) this.#fail(`${found} is out of range`);
    return value;
  }

  #string(): string {
    const quote = this.#peek();
    const start = this.#at;
    this.#at += 1;
    let value = "";
    for (;;) {
      const character = this.#character();
      if (character === "") {
        this.#at = start;
        this.#fail("a text has no end");
      }
      if (character < " " || isLoneSurrogate(character))
        this.#fail(`${JSON.stringify(character)} cannot be in a text`);
      this.#at += character.length;
      if (character === quote) return value;
      value += character === "\\" ? this.#escape(quote) : character;
    }
  }

  #escape(quote: string): string {
    const character = this.#peek();
    if (character === quote || Object.hasOwn(escapes, character)) {
      this.#at += 1;
      return character === quote ? quote : escapes[character]!;
    }
    const escaped = this.#pattern(
      /u(?:[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|(?![Dd][89A-Fa-f])[\dA-Fa-f]{4})/y,
    );
    if (escaped === undefined) this.#fail(`\\${character} means nothing in a text`);
    const units = escaped.split("u").slice(1);
    return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  }

  #logical(): Expression {
    return this.#nested(() => this.#or());
  }

  #or(): Expression {
    let left = this.#and();
    for (;;) {
      const before = this.#at;
      this.#space();
      if (!this.#take("||")) {
        this.#at = before;
        return left;
      }
      this.#space();
      left = { kind: "or", left, right: this.#and() };
    }
  }

  #and(): Expression {
    let left = this.#basic();
    for (;;) {
      const before = this.#at;
      this.#space();
      if (!this.#take("&&")) {
        this.#at = before;
        return left;
      }
      this.#space();
      left = { kind: "and", left, right: this.#basic() };
    }
  }

  #basic(): Expression {
    const start = this.#at;
    if (this.#take("!")) {
      this.#space();
      if (this.#peek() === "(") return { kind: "not", of: this.#parenthesized() };
      return { kind: "not", of: this.#tested(this.#operand(), start) };
    }
    if (this.#peek() === "(") return this.#parenthesized();
    const left = this.#operand();
    const after = this.#at;
    this.#space();
    const operator = comparisons.find((sign) => this.#take(sign));
    if (operator) {
      this.#compared(left, start);
      this.#space();
      const place = this.#at;
      const right = this.#operand();
      this.#compared(right, place);
      return { kind: "compare", operator, left, right };
    }
    const extended = this.#strict ? undefined : this.#ofPeople(left, start);
    if (extended) return extended;
    this.#at = after;
    return this.#tested(left, start);
  }

  /** What is no part of the standard. */
  #ofPeople(left: Expression, start: number): Expression | undefined {
    if (this.#take("=~")) {
      this.#compared(left, start);
      this.#space();
      return { kind: "match", of: left, pattern: this.#regularExpression() };
    }
    const word = this.#pattern(/(?:in|exists|has|empty)\b/y);
    if (word === undefined) return undefined;
    if (word === "in") {
      this.#compared(left, start);
      this.#space();
      const place = this.#at;
      const list = this.#peek() === "[" ? this.#list() : this.#operand();
      if (list.kind !== "list") this.#compared(list, place);
      return { kind: "in", of: left, list };
    }
    this.#space();
    const wanted = this.#pattern(/(?:true|false)\b/y) !== "false";
    const isEmpty = presence[word as keyof typeof presence];
    const test: Expression = isEmpty
      ? {
          kind: "compare",
          operator: "==",
          left: { kind: "call", name: "length", given: [left] },
          right: { kind: "literal", value: 0 },
        }
      : this.#tested(left, start);
    return wanted ? test : { kind: "not", of: test };
  }

  #list(): Expression {
    return this.#nested(() => {
      this.#expect("[");
      this.#space();
      const items: Expression[] = [];
      if (this.#take("]")) return { kind: "list", items };
      do {
        this.#space();
        const place = this.#at;
        const item = this.#operand();
        this.#compared(item, place);
        items.push(item);
        this.#space();
      } while (this.#take(","));
      this.#expect("]");
      return { kind: "list", items };
    });
  }

  #regularExpression(): RE2JS {
    const start = this.#at;
    let source: string;
    let flags = 0;
    if (this.#peek() === "/") {
      const found = this.#pattern(/\/(?:[^\\/\n]|\\.)*\/[ims]*/y);
      if (found === undefined) this.#fail("a regular expression has no end");
      const end = found.lastIndexOf("/");
      source = found.slice(1, end).replaceAll("\\/", "/");
      const known = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL } as const;
      for (const flag of found.slice(end + 1)) flags |= known[flag as keyof typeof known];
    } else if (/^['"]$/.test(this.#peek())) source = this.#string();
    else this.#fail(`a regular expression is expected, not ${this.#shown()}`);
    try {
      return RE2JS.compile(source, flags);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      this.#at = start;
      this.#fail(`bad regular expression: ${error.message}`);
    }
  }

  #parenthesized(): Expression {
    return this.#nested(() => {
      this.#expect("(");
      this.#space();
      const inner = this.#or();
      this.#space();
      this.#expect(")");
      return inner;
    });
  }

  #operand(): Expression {
    const next = this.#peek();
    if (next === "@" || next === "$") {
      this.#at += 1;
      return { kind: "query", query: { root: next, segments: this.#segments() } };
    }
    if (next === "'" || next === '"') return { kind: "literal", value: this.#string() };
    const number = this.#pattern(/(?:-0|0|-?[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\d.])/y);
    if (number !== undefined) return { kind: "literal", value: Number(number) };
    const start = this.#at;
    const word = this.#pattern(/[a-z][a-z_\d]*/y);
    if (word === undefined) this.#fail(`a value is expected, not ${this.#shown()}`);
    if (this.#peek() === "(") return this.#call(word, start);
    if (word === "true" || word === "false") return { kind: "literal", value: word === "true" };
    if (word === "null") return { kind: "literal", value: null };
    this.#at = start;
    this.#fail(`${word} is no value; texts are quoted, members start with @`);
  }

  #call(name: string, start: number): Expression {
    if (!Object.hasOwn(functionTypes, name)) {
      this.#at = start;
      this.#fail(`there is no function ${name}`);
    }
    const known = name as FunctionName;
    const { takes } = functionTypes[known];
    const given = this.#nested(() => {
      this.#expect("(");
      this.#space();
      const list: Expression[] = [];
      if (this.#take(")")) return list;
      do {
        this.#space();
        const place = this.#at;
        const argument = this.#operand();
        this.#typed(argument, takes[list.length] ?? "value", place);
        list.push(argument);
        this.#space();
      } while (this.#take(","));
      this.#expect(")");
      return list;
    });
    if (given.length !== takes.length) {
      this.#at = start;
      this.#fail(`${name} takes ${takes.length} value${takes.length === 1 ? "" : "s"}`);
    }
    return { kind: "call", name: known, given };
  }

  #typed(expression: Expression, wanted: Type, place: number): void {
    if (wanted === "value") this.#compared(expression, place);
    else if (expression.kind !== "query") this.#failAt(place, "a path is expected");
  }

  /** One value at most. */
  #compared(expression: Expression, place: number): Expression {
    if (expression.kind === "query" && !isSingular(expression.query))
      this.#failAt(place, "this path may find many values; compare one, or count() them");
    if (expression.kind === "call" && functionTypes[expression.name].gives !== "value")
      this.#failAt(place, `${expression.name}() is true or false by itself`);
    return expression;
  }

  /** True or false by itself. */
  #tested(expression: Expression, place: number): Expression {
    if (expression.kind === "literal") this.#failAt(place, "a value alone is no condition");
    if (expression.kind === "call" && functionTypes[expression.name].gives === "value")
      this.#failAt(place, `${expression.name}() is to be compared with something`);
    return expression;
  }

  #nested<T>(read: () => T): T {
    this.#level += 1;
    if (this.#level > this.#depth) this.#fail(`nested more than ${this.#depth} levels deep`);
    const result = read();
    this.#level -= 1;
    return result;
  }

  #space(): void {
    while (/^[ \t\n\r]$/.test(this.#peek())) this.#at += 1;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #character(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #pattern(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) this.#fail(`${sign} is expected, not ${this.#shown()}`);
  }

  #shown(): string {
    const character = this.#character();
    return character === "" ? "the end" : JSON.stringify(character);
  }

  #failAt(place: number, message: string): never {
    this.#at = place;
    this.#fail(message);
  }

  #fail(message: string): never {
    const before = this.#text.slice(0, this.#at).split("\n");
    throw new ScriptError(message, {
      language: "jsonpath",
      line: before.length,
      column: before.at(-1)!.length + 1,
    });
  }
}
