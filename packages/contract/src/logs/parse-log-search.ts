import { RE2JS } from "re2js";
import { type LineLevel, lineLevelOf, lineLevels } from "./line-level.ts";
import {
  type LogSearch,
  LogSearchError,
  logSearchLimits,
  type LogSearchToken,
  type LogTerm,
} from "./log-search.ts";

/*
 * The grammar: terms beside each other, all of which must hold. A term is a word, a `"phrase"`, or
 * `label<op>value,value`; `-` or `!` before it turns it around. Labels are bare or quoted. `level` is compared by rank,
 * `time` narrows the range. `"…"` takes everything literally, `\"` and `\\` in it; whatever else holds no operator
 * after a name is a word, so that addresses and stack traces can be pasted.
 */

const space = /\s*/y;
const bareLabel = /([A-Za-z_@][\w./@-]*)\s*(=~|!~|!=|>=|<=|=|>|<)\s*/y;
const quotedLabel = /"((?:[^"\\]|\\.)+)"\s*(=~|!~|!=|>=|<=|=|>|<)\s*/sy;
const quoted = /"((?:[^"\\]|\\.)*)"/sy;
const bareValue = /[^\s,"]+/y;
const barePattern = /\S+/y;
const bareWord = /\S+/y;

type Operator = "=" | "!=" | "=~" | "!~" | ">=" | "<=" | ">" | "<";

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gs, "$1");

class LogSearchParser {
  readonly #text: string;
  #at = 0;
  readonly terms: LogTerm[] = [];
  readonly tokens: LogSearchToken[] = [];
  after: string | undefined;
  before: string | undefined;

  constructor(text: string) {
    if (text.length > logSearchLimits.length)
      throw new LogSearchError(
        `a search has at most ${logSearchLimits.length} characters`,
        logSearchLimits.length,
      );
    this.#text = text;
  }

  run(): this {
    for (;;) {
      this.#read(space);
      if (this.#at >= this.#text.length) return this;
      if (this.terms.length === logSearchLimits.terms)
        throw this.#wrong(`a search has at most ${logSearchLimits.terms} terms`);
      this.#term();
    }
  }

  #term(): void {
    const start = this.#at;
    const sign = this.#text[start];
    const next = this.#text[start + 1];
    const isNot = (sign === "-" || sign === "!") && next !== undefined && /\S/.test(next);
    if (isNot) {
      this.#at += 1;
      this.tokens.push({ kind: "not", from: start, to: this.#at });
    }
    const from = this.#at;
    const named = this.#read(quotedLabel) ?? this.#read(bareLabel);
    if (!named) return this.#words(from, isNot);
    const isQuoted = this.#text[from] === '"';
    const label = isQuoted ? unescaped(named[1] ?? "") : (named[1] ?? "");
    // The two patterns have no other operators.
    const operator = named[2] as Operator;
    const operatorAt = this.#text.indexOf(operator, from + (named[1] ?? "").length);
    this.tokens.push(
      { kind: "label", from, to: from + (named[1] ?? "").length + (isQuoted ? 2 : 0) },
      { kind: "operator", from: operatorAt, to: operatorAt + operator.length },
    );
    this.#comparison({ label, operator, isNot, from, isQuoted });
  }

  #words(from: number, isNot: boolean): void {
    const phrase = this.#read(quoted);
    const word = phrase ? undefined : this.#read(bareWord);
    const text = phrase ? unescaped(phrase[1] ?? "") : (word?.[0] ?? "");
    if (word && text.startsWith('"'))
      throw new LogSearchError(
        'the quotation mark has no end: write \\" for one that is meant',
        from,
      );
    if (text === "") throw new LogSearchError("there is nothing between the quotation marks", from);
    this.tokens.push({ kind: "text", from, to: this.#at });
    this.terms.push({ kind: "text", text, isNot });
  }

  #comparison(said: {
    label: string;
    operator: Operator;
    isNot: boolean;
    from: number;
    isQuoted: boolean;
  }): void {
    const { label, operator, from } = said;
    const isOwn = !said.isQuoted;
    if (isOwn && label === "time") return this.#time(said);
    if (isOwn && label === "level" && operator !== "=~" && operator !== "!~")
      return this.#level(said);
    if (operator === "=~" || operator === "!~") {
      this.terms.push({
        kind: "pattern",
        label,
        pattern: this.#pattern(),
        isNot: said.isNot !== (operator === "!~"),
      });
      return;
    }
    if (operator !== "=" && operator !== "!=")
      throw new LogSearchError(`only level and time are compared with "${operator}"`, from);
    this.terms.push({
      kind: "label",
      label,
      values: this.#values(),
      isNot: said.isNot !== (operator === "!="),
    });
  }

  #level({ operator, isNot }: { operator: Operator; isNot: boolean }): void {
    const at = this.#at;
    const ranks = this.#values().map((word) => {
      const level = lineLevelOf(word);
      if (!level)
        throw new LogSearchError(
          `"${word}" is no level: write one of ${lineLevels.join(", ")}`,
          at,
        );
      return lineLevels.indexOf(level);
    });
    const [rank = 0] = ranks;
    if (ranks.length > 1 && operator !== "=" && operator !== "!=")
      throw new LogSearchError(`"${operator}" takes one level`, at);
    const holds: Record<string, (of: number) => boolean> = {
      ">=": (of) => of >= rank,
      ">": (of) => of > rank,
      "<=": (of) => of <= rank,
      "<": (of) => of < rank,
    };
    const allowed = holds[operator] ?? ((of: number) => ranks.includes(of));
    const levels: LineLevel[] = lineLevels.filter((_, of) => allowed(of));
    if (levels.length === 0)
      throw new LogSearchError(`no level is ${operator === "<" ? "below" : "above"} that one`, at);
    this.terms.push({ kind: "level", levels, isNot: isNot !== (operator === "!=") });
  }

  #time({ operator, isNot, from }: { operator: Operator; isNot: boolean; from: number }): void {
    if (isNot) throw new LogSearchError("a time cannot be turned around", from);
    const at = this.#at;
    const [moment = "", ...more] = this.#values();
    if (more.length > 0) throw new LogSearchError("a time takes one moment", at);
    if (!isMoment(moment))
      throw new LogSearchError(
        `"${moment}" is no moment: write 2026-01-31T10:00:00Z, 2026-01-31 or now-2h`,
        at,
      );
    if (operator === ">" || operator === ">=") this.after = moment;
    else if (operator === "<" || operator === "<=") this.before = moment;
    else throw new LogSearchError('a time is compared with ">" or "<"', from);
  }

  #values(): string[] {
    const values: string[] = [];
    do {
      if (values.length === logSearchLimits.values)
        throw this.#wrong(`a term has at most ${logSearchLimits.values} values`);
      const at = this.#at;
      const phrase = this.#read(quoted);
      const bare = phrase ? undefined : this.#read(bareValue);
      if (!phrase && !bare) throw this.#wrong("a value is missing here");
      values.push(phrase ? unescaped(phrase[1] ?? "") : (bare?.[0] ?? ""));
      this.tokens.push({ kind: "value", from: at, to: this.#at });
    } while (this.#take(","));
    return values;
  }

  #pattern(): string {
    const at = this.#at;
    const phrase = this.#read(quoted);
    const bare = phrase ? undefined : this.#read(barePattern);
    // In quotation marks only the mark itself is escaped: a backslash belongs to the pattern.
    const pattern = phrase ? (phrase[1] ?? "").replaceAll('\\"', '"') : bare?.[0];
    if (pattern === undefined || pattern === "") throw this.#wrong("a pattern is missing here");
    if (pattern.length > logSearchLimits.pattern)
      throw new LogSearchError(`a pattern has at most ${logSearchLimits.pattern} characters`, at);
    try {
      RE2JS.compile(pattern);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new LogSearchError(`the pattern cannot be read: ${why}`, at);
    }
    this.tokens.push({ kind: "value", from: at, to: this.#at });
    return pattern;
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #wrong(message: string): LogSearchError {
    return new LogSearchError(message, this.#at);
  }
}

/** Date math from now on, or a date with or without a time. */
const moment =
  /^(?:now(?:[+-]\d{1,6}[smhdwMy])*(?:\/[smhdwMy])?|\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?)$/;
const isMoment = (text: string): boolean =>
  moment.test(text) && (text.startsWith("now") || !Number.isNaN(Date.parse(text)));

/** Understands a search for log lines. Throws `LogSearchError`. */
export function parseLogSearch(text: string): LogSearch {
  const { terms, after, before } = new LogSearchParser(text).run();
  return {
    terms,
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** What stands where, up to the first mistake, which is told beside it. */
export function readLogSearch(text: string): {
  tokens: LogSearchToken[];
  error: LogSearchError | undefined;
} {
  let tokens: LogSearchToken[] = [];
  try {
    const parser = new LogSearchParser(text);
    tokens = parser.tokens;
    parser.run();
    return { tokens, error: undefined };
  } catch (error) {
    if (!(error instanceof LogSearchError)) throw error;
    return { tokens, error };
  }
}
