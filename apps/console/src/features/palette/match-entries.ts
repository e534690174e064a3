/** What a text is looked for in. */
export interface Findable {
  label: string;
  /** Further words by which it is found. */
  words?: string | undefined;
}

const simplified = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** Smaller is better: the beginning of the label, of a word in it, its middle, the further words. */
function distance({ label, words = "" }: Findable, text: string): number | undefined {
  const name = simplified(label);
  const wanted = simplified(text).split(/\s+/).filter(Boolean);
  const everywhere = `${name} ${simplified(words)}`;
  if (!wanted.every((word) => everywhere.includes(word))) return undefined;
  if (name.startsWith(wanted.join(" "))) return 0;
  const begins = (word: string) =>
    name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
  if (wanted.every(begins)) return 1;
  return wanted.every((word) => name.includes(word)) ? 2 : 3;
}

/** Fewer letters stand in nearly everything in their order. */
const leastToGuess = 3;

/** Over how many letters of the label those of the text are spread: `ldgr` over six of `ledger`. */
function spread({ label }: Findable, text: string): number | undefined {
  const letters = Array.from(simplified(text).replaceAll(/\s+/g, ""));
  if (letters.length < leastToGuess) return undefined;
  const name = simplified(label);
  let shortest: number | undefined;
  for (
    let start = name.indexOf(letters[0]!);
    start >= 0;
    start = name.indexOf(letters[0]!, start + 1)
  ) {
    let end = start;
    for (const letter of letters.slice(1)) {
      end = name.indexOf(letter, end + 1);
      if (end < 0) return shortest;
    }
    shortest = Math.min(shortest ?? Infinity, end - start + 1);
  }
  return shortest;
}

function ranked<Entry>(
  entries: readonly Entry[],
  rank: (entry: Entry) => number | undefined,
): Entry[] {
  return entries
    .flatMap((entry) => {
      const found = rank(entry);
      return found === undefined ? [] : [{ entry, found }];
    })
    .toSorted((one, other) => one.found - other.found)
    .map(({ entry }) => entry);
}

/** The entries that have every word of the text, the closest first; all of them for no text. */
export const matchEntries = <Entry extends Findable>(
  entries: readonly Entry[],
  text: string,
): Entry[] => ranked(entries, (entry) => distance(entry, text));

/** For where nothing has the words: the entries whose label has the letters in their order, the tightest first. */
export const guessEntries = <Entry extends Findable>(
  entries: readonly Entry[],
  text: string,
): Entry[] => ranked(entries, (entry) => spread(entry, text));
