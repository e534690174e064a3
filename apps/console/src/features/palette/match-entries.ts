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

/** The entries that have every word of the text, the closest first; all of them for no text. */
export function matchEntries<Entry extends Findable>(
  entries: readonly Entry[],
  text: string,
): Entry[] {
  return entries
    .flatMap((entry) => {
      const found = distance(entry, text);
      return found === undefined ? [] : [{ entry, found }];
    })
    .toSorted((one, other) => one.found - other.found)
    .map(({ entry }) => entry);
}
