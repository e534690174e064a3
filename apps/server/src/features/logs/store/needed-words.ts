/**
 * Texts without which a pattern is found in no line: of each set one at least. The index knows
 * which lines have them, so that only those need be looked at by whoever reads the pattern itself.
 */
export type NeededWords = readonly (readonly string[])[];

/** What the index knows: three letters in a row. Of ASCII, which every database compares alike in any case. */
const isKnown = /[A-Za-z0-9]{3}/;
/** More alternatives, or more sets, cost more to look up than they save. */
const mostOfSet = 16;
const mostSets = 4;
const mostDepth = 20;

class Unknown extends Error {}

const isLetter = /^[A-Za-z0-9]$/;
/** Letters that have a third spelling where case is ignored: the signs of Kelvin and the long s. */
const hasOtherSpellings = /^[KkSs]$/;

/** What a part of a pattern asks for. `text` is what it is, where it is that alone: it goes on with what comes next. */
interface Part {
  sets: readonly (readonly string[])[];
  text: string | undefined;
}
const anything: Part = { sets: [], text: undefined };

/**
 * Reads as much of RE2's language as it must to be sure: of what it does not know, nothing is needed. Letters are
 * compared in any case by whoever looks for the words.
 */
class Reader {
  readonly #signs: readonly string[];
  #at = 0;
  #foldsCase = false;

  constructor(pattern: string) {
    this.#signs = Array.from(pattern);
  }

  whole(): NeededWords {
    const flags = /^\(\?([ismU]+)\)/.exec(this.#signs.slice(0, 8).join(""));
    if (flags) {
      this.#foldsCase = flags[1]!.includes("i");
      this.#at = flags[0].length;
    }
    const { sets } = this.#alternatives(0);
    if (this.#at < this.#signs.length) throw new Unknown();
    // Those of few alternatives and long words leave the fewest lines.
    return sets
      .toSorted(
        (one, other) =>
          one.length - other.length || (other[0]?.length ?? 0) - (one[0]?.length ?? 0),
      )
      .slice(0, mostSets);
  }

  #alternatives(depth: number): Part {
    if (depth > mostDepth) throw new Unknown();
    const all = [this.#sequence(depth)];
    while (this.#take("|")) all.push(this.#sequence(depth));
    const [only] = all;
    if (all.length === 1 && only) return only;
    // One of them is found: of each its best set, all together.
    const union: string[] = [];
    for (const { sets } of all) {
      const best = sets.toSorted((one, other) => one.length - other.length)[0];
      if (!best) return anything;
      union.push(...best);
    }
    return union.length > mostOfSet ? anything : { sets: [union], text: undefined };
  }

  #sequence(depth: number): Part {
    const sets: (readonly string[])[] = [];
    let run = "";
    let isText = true;
    const endRun = () => {
      if (isKnown.test(run)) sets.push([run]);
      run = "";
    };
    for (;;) {
      const next = this.#signs[this.#at];
      if (next === undefined || next === "|" || next === ")") break;
      const part = this.#repeated(depth);
      if (part.text === undefined) {
        endRun();
        isText = false;
        sets.push(...part.sets);
      } else run += part.text;
    }
    const text = isText ? run : undefined;
    endRun();
    return { sets, text };
  }

  #repeated(depth: number): Part {
    let part = this.#one(depth);
    for (;;) {
      const next = this.#signs[this.#at];
      if (next === "*" || next === "?") {
        this.#at += 1;
        part = anything;
      } else if (next === "+") {
        this.#at += 1;
        part = { sets: part.sets, text: undefined };
      } else if (next === "{") {
        const found = /^\{(\d{1,4})(?:,\d{0,4})?\}/.exec(
          this.#signs.slice(this.#at, this.#at + 11).join(""),
        );
        // A brace that counts nothing is itself.
        if (!found) throw new Unknown();
        this.#at += found[0].length;
        part = Number(found[1]) === 0 ? anything : { sets: part.sets, text: undefined };
      } else return part;
    }
  }

  #one(depth: number): Part {
    const sign = this.#signs[this.#at]!;
    this.#at += 1;
    switch (sign) {
      case "(":
        return this.#group(depth);
      case "[":
        return this.#bracket();
      case "\\":
        return this.#escape();
      case ".":
        return anything;
      case "^":
      case "$":
        return { sets: [], text: "" };
      case "*":
      case "+":
      case "?":
      case "{":
        throw new Unknown();
      default:
        return this.#literal(sign);
    }
  }

  #literal(sign: string): Part {
    const isCertain = sign < "\u0080" && !(this.#foldsCase && hasOtherSpellings.test(sign));
    return isCertain ? { sets: [], text: sign } : anything;
  }

  #group(depth: number): Part {
    const begin = this.#signs.slice(this.#at, this.#at + 80).join("");
    const found = /^\?(?::|P?<\w+>)/.exec(begin);
    // Flags that hold from here on, or in here, may change what a letter is.
    if (begin.startsWith("?") && !found) throw new Unknown();
    this.#at += found?.[0].length ?? 0;
    const part = this.#alternatives(depth + 1);
    if (!this.#take(")")) throw new Unknown();
    return part;
  }

  #bracket(): Part {
    this.#take("^");
    for (let isFirst = true; ; isFirst = false) {
      const sign = this.#signs[this.#at];
      if (sign === undefined) throw new Unknown();
      this.#at += 1;
      if (sign === "]" && !isFirst) return anything;
      if (sign === "\\") this.#skipEscape();
      // `[[:alpha:]]`: its own bracket ends before that of the class.
      if (sign === "[" && this.#signs[this.#at] === ":") {
        const named = /^:\^?\w+:\]/.exec(this.#signs.slice(this.#at, this.#at + 16).join(""));
        if (!named) throw new Unknown();
        this.#at += named[0].length;
      }
    }
  }

  /** @returns the sign behind the backslash */
  #skipEscape(): string {
    const sign = this.#signs[this.#at];
    if (sign === undefined) throw new Unknown();
    this.#at += 1;
    if (sign === "p" || sign === "P" || sign === "x") {
      if (this.#signs[this.#at] === "{") {
        const end = this.#signs.indexOf("}", this.#at);
        if (end < 0) throw new Unknown();
        this.#at = end + 1;
      } else this.#at += sign === "x" ? 2 : 1;
    }
    // A quoted stretch, and a number in eights.
    if (sign === "Q" || /^[0-7]$/.test(sign)) throw new Unknown();
    return sign;
  }

  #escape(): Part {
    const sign = this.#skipEscape();
    switch (sign) {
      case "b":
      case "B":
      case "A":
      case "z":
        return { sets: [], text: "" };
      default:
        return isLetter.test(sign) ? anything : this.#literal(sign);
    }
  }

  #take(sign: string): boolean {
    if (this.#signs[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }
}

/** None where nothing is sure. */
export function neededWords(pattern: string): NeededWords {
  try {
    return new Reader(pattern).whole();
  } catch (error) {
    if (error instanceof Unknown) return [];
    throw error;
  }
}
