/** As like as names must be of which one is proposed in place of the other. */
export const likeness = { name: 0.75, related: 0.33 } as const;

/** Beyond so many names none is proposed: looking through them would take long. */
const mostNames = 500;
/** Longer than any name in PostgreSQL. */
const longest = 63;

/**
 * The name that is most like another, when one is like enough to be meant, as PostgREST chooses it: among those that
 * share three letters in a row with it, else two, the one of which the fewest letters must be changed.
 */
export function nearest(
  name: string,
  known: readonly string[],
  least: number = likeness.related,
): string | undefined {
  if (known.length >= mostNames) return undefined;
  const wanted = name.slice(0, longest).toLowerCase();
  for (const size of [3, 2]) {
    const grams = gramsOf(wanted, size);
    let best: string | undefined;
    let bestShare = 0;
    for (const other of known) {
      if (!gramsOf(other, size).some((gram) => grams.includes(gram))) continue;
      const letters = Math.max(wanted.length, other.length);
      const share = 1 - changes(wanted, other.toLowerCase(), letters) / letters;
      if (share >= least && share > bestShare) [best, bestShare] = [other, share];
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** So many letters in a row, with the ends of the word counted too. */
function gramsOf(word: string, size: number): string[] {
  const text = `-${word.toLowerCase().replaceAll(/[^\p{L}\p{N}, ]/gu, "")}-`;
  const count = Math.max(text.length - size + 1, 1);
  return Array.from({ length: count }, (_, index) => text.slice(index, index + size));
}

/** PostgreSQL proposes no column further away than this, nor than half of the name's length. */
const furthestColumn = 3;

/** The column that PostgreSQL would propose for one that is not there: the nearest by changed letters. */
export function nearestColumn(name: string, known: Iterable<string>): string | undefined {
  const most = Math.min(furthestColumn, Math.floor(name.length / 2));
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const other of known) {
    const distance = changes(name, other, furthestColumn);
    if (distance < bestDistance) [best, bestDistance] = [other, distance];
    // Two as near as each other: neither is proposed alone.
    else if (distance === bestDistance) best = undefined;
  }
  return best;
}

/** Levenshtein's distance, where it may matter. */
function changes(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of left.split("").entries()) {
    const next = [index + 1];
    for (const [place, other] of right.split("").entries()) {
      const kept = (row[place] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(kept, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
