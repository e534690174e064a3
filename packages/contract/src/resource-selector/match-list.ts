/** What a text must look like: these pieces in this order, anything between them. One piece is the whole text. */
export type Pattern = readonly string[];

/** Texts that match one of `include`, or all of them when it is empty, and none of `exclude`. */
export interface MatchList {
  include: readonly Pattern[];
  exclude: readonly Pattern[];
}

export const isExact = (pattern: Pattern): boolean => pattern.length === 1;

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not escaped at all, then: a percent sign may be just that.
    return text;
  }
}

/** Pieces between `*`; several in a row are one. */
export const toPattern = (text: string): Pattern => text.split(/\*+/).map(unescaped);

/**
 * A filter of names, types or states: `a*,!abc`, or the same as a list. Case does not matter to whoever applies it;
 * `!` excludes, `*` stands for anything, and items may be URL-escaped.
 */
export function parseMatchList(items: string | readonly string[]): MatchList {
  const list = (typeof items === "string" ? items.split(",") : items).map((item) => item.trim());
  const named = list.filter((item) => item !== "" && item !== "!");
  return {
    include: named.filter((item) => !item.startsWith("!")).map(toPattern),
    exclude: named
      .filter((item) => item.startsWith("!"))
      .map((item) => toPattern(item.slice(1).trim())),
  };
}

/** Whether the pieces stand in a text in this order, the first at its start and the last at its end. */
export function matchesPattern(pattern: Pattern, text: string): boolean {
  const [first = "", ...rest] = pattern;
  if (rest.length === 0) return text === first;
  const last = rest.pop()!;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}

/** Whether a filter lets a text through, in any case. */
export function isInMatchList({ include, exclude }: MatchList, text: string): boolean {
  const lower = text.toLowerCase();
  const matches = (pattern: Pattern) =>
    matchesPattern(
      pattern.map((piece) => piece.toLowerCase()),
      lower,
    );
  return !exclude.some(matches) && (include.length === 0 || include.some(matches));
}
