/**
 * How much of a walk through everything is done: `npm run verify` (and, of the attacks, `npm run attack`) sets
 * TESTS=whole, everything else does a sample of it. The sample is the same every time unless TESTS_SEED is another
 * number.
 */
export const isWhole = process.env["TESTS"] === "whole";

const seed = Number(process.env["TESTS_SEED"] ?? 1);

/** All of them, or so many, chosen by the seed. */
export function sample<Item>(items: readonly Item[], count: number): readonly Item[] {
  return isWhole || items.length <= count ? items : shuffled(items).slice(0, count);
}

/** Each with each; in a sample each of both at least once, so that a new one of either is always tried. */
export function pairs<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
): (readonly [Left, Right])[] {
  if (isWhole) return left.flatMap((one) => right.map((other) => [one, other] as const));
  const [lefts, rights] = [shuffled(left), shuffled(right)];
  return Array.from(
    { length: Math.max(lefts.length, rights.length) },
    (_, at) => [lefts[at % lefts.length]!, rights[at % rights.length]!] as const,
  );
}

/** As many in the whole walk, as few in the sample. */
export const amount = (whole: number, few: number): number => (isWhole ? whole : few);

function shuffled<Item>(items: readonly Item[]): Item[] {
  const next = numbers(seed);
  return items
    .map((item) => [next(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);
}

/** Numbers from 0 to 1 that look random and are the same for a seed (mulberry32). */
function numbers(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
