/** Lists. What compares two items is handed in, as each language has its own idea of equal. */

type Equal<T> = (left: T, right: T) => boolean;

/** The first of those that are equal. */
export function distinct<T>(list: readonly T[], equal: Equal<T>, step: () => void = () => {}): T[] {
  const found: T[] = [];
  const texts = new Set<T>();
  for (const item of list) {
    if (typeof item === "string") {
      if (texts.has(item)) continue;
      texts.add(item);
      found.push(item);
      continue;
    }
    const isKnown = found.some((one) => {
      step();
      return equal(one, item);
    });
    if (!isKnown) found.push(item);
  }
  return found;
}

/** Lists in lists as one, down to a depth. */
export function flatten<T>(list: readonly T[], depth: number): T[] {
  const found: T[] = [];
  // Its own stack: lists may be nested deeper than calls.
  const open: { items: readonly T[]; place: number }[] = [{ items: list, place: 0 }];
  while (open.length > 0) {
    const current = open.at(-1)!;
    if (current.place === current.items.length) {
      open.pop();
      continue;
    }
    const item = current.items[current.place]!;
    current.place += 1;
    if (Array.isArray(item) && open.length <= depth)
      open.push({ items: item as readonly T[], place: 0 });
    else found.push(item);
  }
  return found;
}

/** From a place up to another; places below nothing count from the end. */
export function slice<T>(list: readonly T[], from: number, to: number = list.length): T[] {
  const [start, end] = [from, to].map((one) => (one < 0 ? list.length + one : one)) as [
    number,
    number,
  ];
  if (start < 0 || end > list.length || start > end)
    throw new Error(`there is no part from ${from} to ${to} of ${list.length} items`);
  return list.slice(start, end);
}

/** Whole numbers from one up to another, which is left out. */
export function range(from: number, to: number, step: number, most: number): number[] {
  if (step === 0) throw new Error("a range needs a step that is not 0");
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > most) throw new Error(`a range of more than ${most} numbers`);
  return Array.from({ length: count }, (_, place) => from + place * step);
}
