/** What a search through many lines has found so far: the lines (from 0) that match. */
export interface LineSearch {
  words: string;
  matchesCase: boolean;
  matches: readonly number[];
  /** How many lines were looked at. */
  searched: number;
}

/** How long a stretch of searching may keep the page from answering. */
const stretchMs = 12;
const linesPerLook = 500;
/** More are not told apart by anybody, and would only take memory. */
export const mostMatches = 100_000;

/** The matching lines of one stretch: goes on from where the search is, until its time is over or no line is left. */
export function searchStretch(
  lines: readonly string[],
  search: LineSearch,
  options: { plainText: (line: string) => string; clock?: () => number },
): LineSearch {
  const { plainText, clock = () => performance.now() } = options;
  const words = search.matchesCase ? search.words : search.words.toLowerCase();
  const until = clock() + stretchMs;
  const found: number[] = [];
  let at = search.searched;
  do {
    const stop = Math.min(lines.length, at + linesPerLook);
    for (; at < stop; at += 1) {
      const line = lines[at] ?? "";
      const plain = line.includes("\u001b") ? plainText(line) : line;
      if ((search.matchesCase ? plain : plain.toLowerCase()).includes(words)) found.push(at);
    }
  } while (at < lines.length && clock() < until);
  return {
    ...search,
    searched: at,
    matches:
      found.length === 0 || search.matches.length >= mostMatches
        ? search.matches
        : [...search.matches, ...found].slice(0, mostMatches),
  };
}

/** Which match comes after (or before) a line; it goes around at the ends. -1 where there is none. */
export function matchAfter(matches: readonly number[], line: number, step: 1 | -1): number {
  if (matches.length === 0) return -1;
  if (step === 1) {
    const next = matches.findIndex((match) => match > line);
    return next < 0 ? 0 : next;
  }
  const previous = matches.findLastIndex((match) => match < line);
  return previous < 0 ? matches.length - 1 : previous;
}
