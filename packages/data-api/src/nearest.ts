/** The name that is most like another, when one is like enough to be meant: by the pairs of letters they share. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestShare = 0.33;
  for (const other of known) {
    const share = likeness(name, other);
    if (share > bestShare) {
      best = other;
      bestShare = share;
    }
  }
  return best;
}

/** Longer than any name in PostgreSQL. */
const longest = 63;

/** Dice's coefficient over pairs of letters, with the ends of the word counted too. */
function likeness(left: string, right: string): number {
  const leftPairs = pairsOf(left);
  const rightPairs = pairsOf(right);
  const shared = leftPairs.filter((pair) => rightPairs.includes(pair)).length;
  return (2 * shared) / (leftPairs.length + rightPairs.length);
}

function pairsOf(word: string): string[] {
  const text = `-${word.slice(0, longest).toLowerCase()}-`;
  return Array.from({ length: text.length - 1 }, (_, index) => text.slice(index, index + 2));
}

/** PostgreSQL proposes no column further away than this, nor than half of the name's length. */
const furthestColumn = 3;

/** The column that PostgreSQL would propose for one that is not there: the nearest by changed letters. */
export function nearestColumn(name: string, known: Iterable<string>): string | undefined {
  const most = Math.min(furthestColumn, Math.floor(name.length / 2));
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const other of known) {
    const distance = changes(name, other);
    if (distance < bestDistance) [best, bestDistance] = [other, distance];
    // Two as near as each other: neither is proposed alone.
    else if (distance === bestDistance) best = undefined;
  }
  return best;
}

/** Levenshtein's distance. */
function changes(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > furthestColumn) return furthestColumn + 1;
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
