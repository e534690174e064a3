import type { Pattern } from "./match-list.ts";
import {
  type CompareOperator,
  searchLimits,
  type SearchNode,
  type SearchOrder,
  type SearchQuery,
  type SearchToken,
  type SearchValue,
} from "./search-query.ts";
import { SelectorError } from "./selector-error.ts";

/*
 * The grammar, from the outside in: queries joined by `;`, alternatives joined by `|`, terms that stand side by side
 * and must all hold. A term is a group in parentheses, `field<op>value,value`, a key of a map (`labels.x`) or a word;
 * `-` or `!` before it turns it around. `"…"` takes everything literally, `\"` and `\\` in it. Directives (`@order=`,
 * `sort=`, `limit=`, `offset=`) stand outside parentheses and belong to their query.
 */

const space = /\s*/y;
const fieldAndOperator = /(@?[A-Za-z_][\w./-]*)(\s*)(\*=|!=|<=|>=|=|<|>|:(?![:/]))\s*/y;
const operatorAfterKey = /(\s*)(\*=|!=|<=|>=|=|<|>|:(?![:/]))\s*/y;
/** `tag:key`: another way to write `tags.key`. */
const mapAndKey = /(tag|label|propert(?:y|ies))s?:(?:([A-Za-z0-9_][\w./-]*)|"((?:[^"\\]|\\.)+)")/sy;
/** `config:field=`: another way to write `config.field=`, of what is about an item. */
const itemAndField = /config:([A-Za-z_][\w./-]*)(?=\s*(?:\*=|!=|<=|>=|=|<|>|:(?![:/])))/y;
/** Up to whatever means something; a quote begins a literal part. */
const bareText = /[^\s|;(),"*=<>]+/y;
const bareValue = /[^\s|;(),"*]+/y;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
const mapKey = /^(?:labels|tags|properties)\../;
const directives = new Set(["@order", "sort", "limit", "offset"]);

const mapCalled = (word: string): string =>
  word.startsWith("propert") ? "properties" : `${word}s`;
const unescaped = (text: string): string => text.replaceAll(/\\(.)/gs, "$1");
/** With anything before and after it. */
const anywhere = (pattern: Pattern): Pattern => {
  const isOpen = pattern.length > 1;
  return [
    ...(isOpen && pattern[0] === "" ? [] : [""]),
    ...pattern,
    ...(isOpen && pattern.at(-1) === "" ? [] : [""]),
  ];
};

interface Directive {
  field: string;
  operator: CompareOperator;
  values: readonly SearchValue[];
  at: number;
}

class SearchParser {
  readonly #text: string;
  #at = 0;
  #terms = 0;
  /** What has been understood so far. */
  readonly tokens: SearchToken[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  queries(): SearchQuery[] {
    const queries: SearchQuery[] = [];
    do {
      if (queries.length === searchLimits.queries)
        throw this.#wrong(`more than ${searchLimits.queries} queries joined by ";"`);
      queries.push(this.#query());
    } while (this.#take(";", "or"));
    if (this.#at < this.#text.length) throw this.#unexpected("the end");
    // `a;` and `;;` say no more than `a`.
    return queries.filter(
      ({ where, order, limit, offset }) =>
        where !== undefined || order.length > 0 || limit !== undefined || offset !== undefined,
    );
  }

  #query(): SearchQuery {
    const query: SearchQuery = { where: undefined, order: [], limit: undefined, offset: undefined };
    query.where = this.#alternatives(0, query);
    return query;
  }

  /** Undefined for nothing at all, which is only possible where the query is made of directives. */
  #alternatives(depth: number, query: SearchQuery | undefined): SearchNode | undefined {
    const first = this.#together(depth, query);
    const parts = first ? [first] : [];
    while (this.#take("|", "or")) {
      if (parts.length === 0) throw this.#wrong('expected something before "|"', this.#at - 1);
      const part = this.#together(depth, query);
      if (!part) throw this.#unexpected('something after "|"');
      parts.push(part);
    }
    return parts.length > 1 ? { kind: "or", parts } : parts[0];
  }

  #together(depth: number, query: SearchQuery | undefined): SearchNode | undefined {
    const parts: SearchNode[] = [];
    let hasStart = false;
    for (;;) {
      this.#read(space);
      const next = this.#text[this.#at];
      if (next === undefined || next === "|" || next === ";" || next === ")") break;
      const part = this.#term(depth, query);
      if (!part) continue;
      // The name begins with the first word; those beside it are somewhere in it.
      if (part.kind === "word" && part.place === "start") {
        if (hasStart) part.place = "anywhere";
        hasStart = true;
      }
      parts.push(part);
    }
    return parts.length > 1 ? { kind: "and", parts } : parts[0];
  }

  /** Undefined for a directive, which has gone into the query. */
  #term(depth: number, query: SearchQuery | undefined): SearchNode | undefined {
    if (depth > searchLimits.depth)
      throw this.#wrong(`nested more than ${searchLimits.depth} levels deep`);
    this.#count();
    if (this.#take("-", "not") || this.#take("!", "not")) {
      const at = this.#at;
      if (/^(?:[\s|;)]|$)/.test(this.#text.slice(at, at + 1)))
        throw this.#unexpected("something to exclude");
      // Without a query to belong to, a directive is refused where it stands.
      const part = this.#term(depth + 1, undefined);
      return part && { kind: "not", part };
    }
    if (this.#take("(", "group")) {
      const start = this.#at - 1;
      const part = this.#alternatives(depth + 1, undefined);
      if (!this.#take(")", "group"))
        throw this.#at < this.#text.length
          ? this.#unexpected('")"')
          : this.#wrong('this "(" is never closed', start);
      if (!part) throw this.#wrong("there is nothing in these parentheses", start);
      return part;
    }
    const at = this.#at;
    const said = this.#fieldAndOperator();
    if (!said) return this.#word();
    const { field, written } = said;
    if (written === undefined) return { kind: "exists", field, at };
    const operator = (written === ":" || written === "*=" ? "=" : written) as CompareOperator;
    const values = this.#values(`${field}${written}`, written === "*=");
    if (directives.has(field)) {
      if (!query) throw this.#wrong(`${field} belongs outside parentheses and is not negated`, at);
      this.#direct(query, { field, operator, values, at });
      return undefined;
    }
    if (field.startsWith("@"))
      throw this.#wrong(`there is no ${field}; @order= is all there is`, at);
    if (operator !== "=" && operator !== "!=") {
      const [value, second] = values;
      if (second) throw this.#wrong(`${operator} compares with one value`, second.at);
      if (value!.isExcluded || value!.pattern.length > 1)
        throw this.#wrong(`${operator} compares with a plain value`, value!.at);
    }
    return { kind: "compare", field, operator, values, at };
  }

  /** `field=`, `tag:key=`, or `tag:key` without an operator; nothing where something else stands. */
  #fieldAndOperator(): { field: string; written?: string } | undefined {
    const at = this.#at;
    const map = this.#match(mapAndKey);
    const item = map ? undefined : this.#match(itemAndField);
    const plain = map || item ? undefined : this.#match(fieldAndOperator);
    if (!map && !item && !plain) return undefined;
    const after = plain ?? this.#match(operatorAfterKey);
    const [gap = "", written] = plain ? plain.slice(2) : (after?.slice(1) ?? []);
    const field = map
      ? `${mapCalled(map[1]!)}.${map[2] ?? unescaped(map[3]!)}`
      : item
        ? `config.${item[1]!}`
        : (plain?.[1] ?? "");
    const end = at + (map ?? item ?? [field])[0].length;
    this.tokens.push({ kind: "field", from: at, to: end });
    if (written === undefined) return { field };
    const start = end + gap.length;
    this.tokens.push({ kind: "operator", from: start, to: start + written.length });
    return { field, written };
  }

  #word(): SearchNode {
    const at = this.#at;
    const isQuoted = this.#text[at] === '"';
    const pattern = this.#pattern(bareText);
    const [only] = pattern;
    if (only === "" && pattern.length === 1) {
      if (isQuoted) throw this.#wrong("there is nothing between these quotes", at);
      throw this.#unexpected("a word");
    }
    const after = this.#text[this.#at];
    if (after !== undefined && /[=<>,(]/.test(after))
      throw this.#wrong(
        `"${after}" needs a field before it; put quotes around text that has it`,
        this.#at,
      );
    const isKey = pattern.length === 1 && !isQuoted && mapKey.test(only!);
    this.tokens.push({ kind: isKey ? "field" : "word", from: at, to: this.#at });
    if (isKey) return { kind: "exists", field: only!, at };
    return { kind: "word", pattern, place: pattern.length === 1 ? "start" : "whole", at };
  }

  #values(before: string, isAnywhere: boolean): SearchValue[] {
    const values: SearchValue[] = [];
    do {
      this.#read(space);
      this.#count();
      const at = this.#at;
      const isExcluded = this.#take("!");
      const start = this.#at;
      const pattern = this.#pattern(bareValue);
      if (this.#at === start) throw this.#unexpected(`a value after "${before}"`);
      this.tokens.push({ kind: "value", from: at, to: this.#at });
      values.push({ pattern: isAnywhere ? anywhere(pattern) : pattern, isExcluded, at });
    } while (this.#text[this.#at] === "," && ++this.#at);
    if (this.#text[this.#at] === "(") throw this.#wrong('put quotes around a value that has "("');
    return values;
  }

  /** Bare and quoted parts that touch each other; `*` in a bare one stands for anything. */
  #pattern(bare: RegExp): Pattern {
    const pieces = [""];
    for (;;) {
      const next = this.#text[this.#at];
      if (next === "*") {
        this.#at += 1;
        if (pieces.length === 1 || pieces.at(-1) !== "") pieces.push("");
      } else if (next === '"') {
        const start = this.#at;
        const found = this.#match(quoted);
        if (!found) {
          this.tokens.push({ kind: "open", from: start, to: this.#text.length });
          throw this.#wrong("this quote is never closed", start);
        }
        pieces[pieces.length - 1] += unescaped(found[1]!);
      } else {
        const text = this.#read(bare);
        if (text === "") return pieces;
        pieces[pieces.length - 1] += text;
      }
    }
  }

  #direct(query: SearchQuery, { field, operator, values, at }: Directive): void {
    if (operator !== "=") throw this.#wrong(`write ${field}=`, at);
    query.at ??= at;
    const texts = values.map(({ pattern, isExcluded, at: place }) => {
      if (isExcluded || pattern.length > 1)
        throw this.#wrong(`${field}= takes a plain value`, place);
      return { text: pattern[0]!, at: place };
    });
    if (field === "limit" || field === "offset") {
      const [{ text, at: place } = { text: "", at }, second] = texts;
      const most = field === "limit" ? searchLimits.rows : searchLimits.offset;
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (second || !(value >= (field === "limit" ? 1 : 0) && value <= most))
        throw this.#wrong(
          `${field}= takes a number from ${field === "limit" ? 1 : 0} to ${most}`,
          place,
        );
      if (query[field] !== undefined) throw this.#wrong(`${field}= stands here twice`, at);
      query[field] = value;
      return;
    }
    if (query.order.length > 0) throw this.#wrong("the order stands here twice", at);
    query.order = texts.map(({ text, at: place }): SearchOrder => ({
      field: text.replace(/^[-+]/, ""),
      isDescending: text.startsWith("-"),
      at: place,
    }));
  }

  #count(): void {
    this.#terms += 1;
    if (this.#terms > searchLimits.terms)
      throw this.#wrong(`more than ${searchLimits.terms} words and values`);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at += found[0].length;
    return found;
  }

  #read(pattern: RegExp): string {
    return this.#match(pattern)?.[0] ?? "";
  }

  #take(character: string, kind?: SearchToken["kind"]): boolean {
    this.#read(space);
    if (this.#text[this.#at] !== character) return false;
    if (kind) this.tokens.push({ kind, from: this.#at, to: this.#at + 1 });
    this.#at += 1;
    return true;
  }

  #wrong(message: string, at = this.#at): SelectorError {
    return new SelectorError(message, at);
  }

  #unexpected(expected: string): SelectorError {
    const found = this.#text.slice(this.#at, this.#at + 20);
    return this.#wrong(
      found === ""
        ? `expected ${expected}, but the text ends`
        : `expected ${expected} instead of "${found}"`,
    );
  }
}

/** A search that has been read, or what is wrong with it and where; and what of it was understood. */
export type ReadSearch =
  | { queries: SearchQuery[]; error?: undefined; tokens: readonly SearchToken[] }
  | { queries?: undefined; error: SelectorError; tokens: readonly SearchToken[] };

/** Reads a search as far as it can be understood. Never throws. */
export function readSearch(text: string): ReadSearch {
  if (text.length > searchLimits.length)
    return {
      error: new SelectorError(
        `longer than ${searchLimits.length} characters`,
        searchLimits.length,
      ),
      tokens: [],
    };
  const parser = new SearchParser(text);
  try {
    return { queries: parser.queries(), tokens: parser.tokens };
  } catch (error) {
    if (error instanceof SelectorError) return { error, tokens: parser.tokens };
    throw error;
  }
}

/** The queries of a search; none when it says nothing. Throws a `SelectorError` that names the place. */
export function parseSearch(text: string): SearchQuery[] {
  const { queries, error } = readSearch(text);
  if (error) throw error;
  return queries;
}
