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
