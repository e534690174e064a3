/** What stays of a list: pairs of places, before and after, in one order. What has a name or an id is known by it. */
export function matchItems(
  before: readonly unknown[],
  after: readonly unknown[],
): [number, number][] {
  const [old, now] = [before, after].map((items) => items.map(signOf));
  let head = 0;
  while (head < old!.length && head < now!.length && old![head] === now![head]) head += 1;
  let tail = 0;
  const shorter = Math.min(old!.length, now!.length) - head;
  while (tail < shorter && old!.at(-1 - tail) === now!.at(-1 - tail)) tail += 1;
  const ends = (from: number, count: number, shift: number) =>
    Array.from({ length: count }, (_, at): [number, number] => [from + at, from + at + shift]);
  return [
    ...ends(0, head, 0),
    ...longestInBoth(
      old!.slice(head, old!.length - tail),
      now!.slice(head, now!.length - tail),
    ).map(([a, b]): [number, number] => [a + head, b + head]),
    ...ends(old!.length - tail, tail, now!.length - old!.length),
  ];
}

/** What an item is known by. */
export function signOf(item: unknown): string {
  const { name, id } = (item ?? {}) as { name?: unknown; id?: unknown };
  if (typeof name === "string") return `name ${name}`;
  return typeof id === "string" ? `id ${id}` : (JSON.stringify(item) ?? "");
}

/** Beyond this a comparison of all with all takes too long; then nothing in the middle stays. */
const mostCompared = 1_000_000;

function longestInBoth(old: readonly string[], now: readonly string[]): [number, number][] {
  if (old.length * now.length > mostCompared) return [];
  const lengths = old.map(() => new Uint32Array(now.length + 1));
  lengths.push(new Uint32Array(now.length + 1));
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      lengths[a]![b] =
        old[a] === now[b]
          ? lengths[a + 1]![b + 1]! + 1
          : Math.max(lengths[a + 1]![b]!, lengths[a]![b + 1]!);
  const pairs: [number, number][] = [];
  for (let a = 0, b = 0; a < old.length && b < now.length;) {
    if (old[a] === now[b]) pairs.push([a++, b++]);
    else if (lengths[a + 1]![b]! >= lengths[a]![b + 1]!) a += 1;
    else b += 1;
  }
  return pairs;
}
