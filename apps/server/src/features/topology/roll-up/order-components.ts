/** A component by what hangs it on others. */
export interface Tied {
  id: string;
  /** Its parent, where it is there. */
  parentId: string | null;
  /** What it hangs on by relationships, its parent aside. */
  above: readonly string[];
}

/** A tie that does not count, because what is above hangs on what is below. */
export interface Circle {
  above: string;
  below: string;
}

export interface Ordered {
  /** Every component, each after all that hang on it. */
  order: string[];
  children: ReadonlyMap<string, readonly string[]>;
  circles: Circle[];
}

/**
 * Orders components so that each comes after its children. Of a circle the relationships in it do not count; of one of
 * parents alone none of its ties does: which it was that closed it nobody knows.
 */
export function orderComponents(components: readonly Tied[]): Ordered {
  const circles: Circle[] = [];
  const ring = groupsInCircles(components);
  const inParentCircle = parentCircles(components);
  const children = new Map<string, string[]>(components.map(({ id }) => [id, []]));
  const waiting = new Map<string, number>();
  for (const { id, parentId, above } of components) {
    const tie = (over: string, counts: boolean) => {
      if (!children.has(over)) return;
      if (!counts) return void circles.push({ above: over, below: id });
      children.get(over)!.push(id);
      waiting.set(over, (waiting.get(over) ?? 0) + 1);
    };
    if (parentId !== null) tie(parentId, !inParentCircle.has(id));
    for (const over of new Set(above))
      if (over !== parentId) tie(over, over !== id && ring.get(over) !== ring.get(id));
  }
  const parents = new Map<string, string[]>();
  for (const [over, below] of children)
    for (const id of below) {
      const known = parents.get(id);
      if (known) known.push(over);
      else parents.set(id, [over]);
    }
  const order = components.filter(({ id }) => !waiting.has(id)).map(({ id }) => id);
  for (const id of order)
    for (const over of parents.get(id) ?? []) {
      const left = waiting.get(over)! - 1;
      waiting.set(over, left);
      if (left === 0) order.push(over);
    }
  return { order, children, circles };
}

/** Those whose parent's parent's ... parent they are. */
function parentCircles(components: readonly Tied[]): Set<string> {
  const parentOf = new Map(components.map(({ id, parentId }) => [id, parentId]));
  const found = new Set<string>();
  const done = new Set<string>();
  for (const { id } of components) {
    const way: string[] = [];
    const place = new Map<string, number>();
    let at: string | null | undefined = id;
    while (at && parentOf.has(at) && !done.has(at) && !place.has(at)) {
      place.set(at, way.length);
      way.push(at);
      at = parentOf.get(at);
    }
    if (at && place.has(at)) for (const one of way.slice(place.get(at))) found.add(one);
    for (const one of way) done.add(one);
  }
  return found;
}

/** A number for each component; two have the same if each hangs on the other, however far (Tarjan's, without recursion). */
function groupsInCircles(components: readonly Tied[]): Map<string, number> {
  const known = new Map(components.map((one) => [one.id, one]));
  const above = ({ parentId, above: others }: Tied) =>
    (parentId === null ? others : [parentId, ...others]).filter((id) => known.has(id));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const group = new Map<string, number>();
  const stack: string[] = [];
  for (const { id: start } of components) {
    if (index.has(start)) continue;
    const work: { id: string; over: string[]; next: number }[] = [];
    const enter = (id: string) => {
      index.set(id, index.size);
      low.set(id, index.get(id)!);
      stack.push(id);
      work.push({ id, over: above(known.get(id)!), next: 0 });
    };
    enter(start);
    for (let frame = work.at(-1); frame; frame = work.at(-1)) {
      const { id, over } = frame;
      const next = over[frame.next++];
      if (next !== undefined) {
        if (!index.has(next)) enter(next);
        else if (!group.has(next)) low.set(id, Math.min(low.get(id)!, index.get(next)!));
        continue;
      }
      work.pop();
      const under = work.at(-1);
      if (under) low.set(under.id, Math.min(low.get(under.id)!, low.get(id)!));
      if (low.get(id) !== index.get(id)) continue;
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        group.set(member, index.get(id)!);
        if (member === id) break;
      }
    }
  }
  return group;
}
