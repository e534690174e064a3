import { storableText } from "#platform/db/storable-text.ts";

/*
 * Patterns are written in RE2's language; PostgreSQL's differs in its classes, its dot, its back-references and in what
 * it takes for an operator. What is said below has one meaning in both when only asked whether it is found; anything
 * else is left to RE2 itself. Greedy or not makes no difference to that question, nor does what a group captures.
 */

/** States of PostgreSQL's automaton, roughly: beyond it a pattern takes long to prepare. */
const mostSteps = 2_000;

class Untranslatable extends Error {}

const classes: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "0-9A-Za-z_",
  s: "\\t\\n\\f\\r ",
};
const controls: Readonly<Record<string, string>> = { t: "\\t", n: "\\n", r: "\\r", f: "\\f" };

/** Letters that are equal in any case to one of ASCII: RE2 folds as Unicode does, and two signs fold to a letter. */
const folded = (letter: string): string => {
  const lower = letter.toLowerCase();
  const also = lower === "k" ? "\u212A" : lower === "s" ? "\u017F" : "";
  return `${lower}${lower.toUpperCase()}${also}`;
};

class Translation {
  readonly #text: readonly string[];
  #at = 0;
  #foldsCase = false;
  #dotTakesAll = false;
  #steps = 0;

  constructor(pattern: string) {
    this.#text = Array.from(pattern);
  }

  whole(): string {
    // Flags for all of it stand in front.
    const flags = /^\(\?([is]+)\)/.exec(this.#text.slice(0, 8).join(""));
    if (flags) {
      this.#foldsCase = flags[1]!.includes("i");
      this.#dotTakesAll = flags[1]!.includes("s");
      this.#at = flags[0].length;
    }
    const out = this.#alternatives(0);
    if (this.#at < this.#text.length) throw new Untranslatable();
    return out;
  }

  #alternatives(depth: number): string {
    if (depth > 20) throw new Untranslatable();
    const all = [this.#sequence(depth)];
    while (this.#take("|")) all.push(this.#sequence(depth));
    return all.join("|");
  }

  #sequence(depth: number): string {
    let out = "";
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next === "|" || next === ")") break;
      out += this.#repeated(depth);
    }
    // PostgreSQL takes an empty branch as RE2 does, only if it is in parentheses.
    return out === "" ? "(?:)" : out;
  }

  #repeated(depth: number): string {
    const before = this.#steps;
    const isAnchor = this.#text[this.#at] === "^" || this.#text[this.#at] === "$";
    const one = this.#one(depth);
    const operator = this.#operator();
    if (operator === undefined) return one;
    // What repeats nothing, and what repeats a repetition, is told apart differently.
    if (isAnchor) throw new Untranslatable();
    this.#take("?");
    if (this.#operator() !== undefined) throw new Untranslatable();
    const times = /\{(\d+)(?:,(\d*))?\}/.exec(operator);
    if (times) {
      const [least, most] = [Number(times[1]), times[2] ? Number(times[2]) : Number(times[1])];
      if (least > 255 || most > 255 || most < least) throw new Untranslatable();
      this.#grow((this.#steps - before) * Math.max(most, 1));
    }
    return one + operator;
  }

  #operator(): string | undefined {
    const next = this.#text[this.#at];
    if (next === "*" || next === "+" || next === "?") {
      this.#at += 1;
      return next;
    }
    if (next !== "{") return undefined;
    const found = /^\{\d{1,3}(?:,\d{0,3})?\}/.exec(
      this.#text.slice(this.#at, this.#at + 9).join(""),
    );
    // A brace that counts nothing is itself to RE2.
    if (!found) throw new Untranslatable();
    this.#at += found[0].length;
    return found[0];
  }

  #one(depth: number): string {
    const sign = this.#text[this.#at];
    this.#at += 1;
    switch (sign) {
      case "(":
        return this.#group(depth);
      case "[":
        return this.#bracket();
      case ".":
        this.#grow(1);
        return this.#dotTakesAll ? "." : "[^\\n]";
      case "^":
      case "$":
        return sign;
      case "\\":
        return this.#escape();
      case undefined:
      case "*":
      case "+":
      case "?":
      case "{":
      case "}":
      case "]":
        throw new Untranslatable();
      default:
        return this.#literal(sign);
    }
  }

  #group(depth: number): string {
    if (this.#take("?") && !this.#take(":")) throw new Untranslatable();
    const inner = this.#alternatives(depth + 1);
    if (!this.#take(")")) throw new Untranslatable();
    return `(?:${inner})`;
  }

  #literal(sign: string): string {
    this.#grow(1);
    if (this.#foldsCase) {
      if (sign > "\u007F") throw new Untranslatable();
      if (/[A-Za-z]/.test(sign)) return `[${folded(sign)}]`;
    }
    return /[\w\s]/.test(sign) || sign > "\u007F" ? sign : `\\${sign}`;
  }

  #escape(): string {
    const sign = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (Object.hasOwn(controls, sign)) {
      this.#grow(1);
      return controls[sign]!;
    }
    const negated = Object.hasOwn(classes, sign.toLowerCase()) && sign !== sign.toLowerCase();
    const set = Object.hasOwn(classes, sign.toLowerCase())
      ? classes[sign.toLowerCase()]
      : undefined;
    if (set !== undefined) {
      if (this.#foldsCase && sign.toLowerCase() === "w") throw new Untranslatable();
      this.#grow(1);
      return `[${negated ? "^" : ""}${set}]`;
    }
    if (!/^[!-/:-@[-`{-~]$/.test(sign)) throw new Untranslatable();
    return this.#literal(sign);
  }

  #bracket(): string {
    const isNot = this.#take("^");
    let set = "";
    for (let first = true; ; first = false) {
      const sign = this.#text[this.#at];
      if (sign === undefined) throw new Untranslatable();
      if (sign === "]" && !first) break;
      const from = this.#inBracket();
      if (this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]") {
        this.#at += 1;
        const to = this.#inBracket();
        if (from.length > 1 || to.length > 1 || from > to) throw new Untranslatable();
        set += this.#range(from, to);
      } else set += from.length > 1 ? from.slice(1) : this.#range(from, from);
    }
    this.#at += 1;
    this.#grow(1);
    return `[${isNot ? "^" : ""}${set}]`;
  }

  /** A character, or a set after a sign of its own. */
  #inBracket(): string {
    const sign = this.#text[this.#at];
    this.#at += 1;
    // `[[:alpha:]]` and its like, and whatever begins as those do.
    if (sign === undefined || sign === "[" || sign > "\u007F") throw new Untranslatable();
    if (sign !== "\\") return sign;
    const escaped = this.#text[this.#at] ?? "";
    this.#at += 1;
    if (Object.hasOwn(controls, escaped)) return JSON.parse(`"\\${escaped}"`) as string;
    if (Object.hasOwn(classes, escaped)) {
      if (this.#foldsCase && escaped === "w") throw new Untranslatable();
      return `=${classes[escaped]!}`;
    }
    if (!/^[!-/:-@[-`{-~]$/.test(escaped)) throw new Untranslatable();
    return escaped;
  }

  #range(from: string, to: string): string {
    const code = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
    if (!this.#foldsCase) return from === to ? code(from) : `${code(from)}-${code(to)}`;
    let set = "";
    for (let at = from.charCodeAt(0); at <= to.charCodeAt(0); at++) {
      const sign = String.fromCharCode(at);
      set += /[A-Za-z]/.test(sign) ? folded(sign) : code(sign);
    }
    return set;
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #grow(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps) throw new Untranslatable();
  }
}

/** The pattern in PostgreSQL's language, where it is found in the same texts; otherwise nothing. */
export function re2ToPostgres(pattern: string): string | undefined {
  // Of these PostgreSQL has none in a text, and RE2 may look for them.
  if (storableText(pattern) !== pattern) return undefined;
  try {
    // `(?:` in front, so that no `***` or `(?` is taken for a director.
    return `(?:${new Translation(pattern).whole()})`;
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}
