/**
 * The path to the first value that lies deeper than so many lists and mappings inside each other; what reads values
 * could overflow its stack there. Walks without recursion.
 */
export function findTooDeep(root: unknown, deepest: number): (string | number)[] | undefined {
  interface Visit {
    value: unknown;
    depth: number;
    key: string | number;
    parent?: Visit;
  }
  // Aliases make one value a part of several: it is walked again only where it lies deeper.
  const seen = new Map<object, number>();
  const open: Visit[] = [{ value: root, depth: 1, key: "" }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > deepest) {
      const path: (string | number)[] = [];
      for (let at: Visit | undefined = next; at?.parent; at = at.parent) path.unshift(at.key);
      return path;
    }
    if ((seen.get(value) ?? 0) >= depth) continue;
    seen.set(value, depth);
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === "object")
        open.push({
          value: inner,
          depth: depth + 1,
          key: Array.isArray(value) ? Number(key) : key,
          parent: next,
        });
    }
  }
  return undefined;
}

export const tooDeepMessage = (deepest: number): string =>
  `Lists and mappings are nested more than ${deepest} levels deep.`;
