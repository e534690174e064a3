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
  /** Every component, by its place in the list, each after all that hang on it. */
  order: readonly number[];
  /** Of each place, those of the children. */
  children: readonly (readonly number[])[];
  circles: Circle[];
}

/**
 * Orders components so that each comes after its children. Of a circle the relationships in it do not count; of one of
 * parents alone none of its ties does: which it was that closed it nobody knows.
 */
export function orderComponents(components: readonly Tied[]): Ordered {
  // By place in the list: numbers are followed many times as fast as texts.
  const places = new Map(components.map(({ id }, place) => [id, place]));
  const placeOf = (id: string) => places.get(id) ?? -1;
  const parents = Int32Array.from(components, ({ parentId }) =>
    parentId === null ? -1 : placeOf(parentId),
  );
  const others = components.map(({ above, parentId }) =>
    above.length === 0
      ? none
      : [...new Set(above)].filter((id) => id !== parentId && places.has(id)).map(placeOf),
  );
  const isInParentCircle = parentCircles(parents);
  const ring = groupsInCircles(parents, others);
  const circles: Circle[] = [];
  const children: number[][] = components.map(() => []);
  const over: number[][] = components.map(() => []);
  const tie = (above: number, below: number, counts: boolean) => {
    if (!counts)
      return void circles.push({ above: components[above]!.id, below: components[below]!.id });
    children[above]!.push(below);
    over[below]!.push(above);
  };
  for (let place = 0; place < components.length; place++) {
    if (parents[place] !== -1) tie(parents[place]!, place, !isInParentCircle[place]);
    for (const above of others[place]!) tie(above, place, ring[above] !== ring[place]);
  }
  const waiting = Int32Array.from(children, ({ length }) => length);
  const order: number[] = [];
  for (let place = 0; place < components.length; place++)
    if (waiting[place] === 0) order.push(place);
  for (const place of order)
    for (const above of over[place]!) {
      waiting[above]! -= 1;
      if (waiting[above] === 0) order.push(above);
    }
  return { order, children, circles };
}

const none: readonly number[] = [];

/** Whether each is its own parent's parent's ... parent. @param parents places of parents; -1 for none */
function parentCircles(parents: Int32Array): Uint8Array {
  const isIn = new Uint8Array(parents.length);
  /** On which walk each was come to first; 0 for not yet. */
  const walk = new Int32Array(parents.length);
  for (let start = 0; start < parents.length; start++) {
    let at = start;
    for (; at !== -1 && walk[at] === 0; at = parents[at]!) walk[at] = start + 1;
    // Back at where this walk has been, and not at where an earlier one was.
    if (at === -1 || walk[at] !== start + 1) continue;
    for (; isIn[at] === 0; at = parents[at]!) isIn[at] = 1;
  }
  return isIn;
}

/** A number for each; two have the same if each hangs on the other, however far (Tarjan's, without recursion). */
function groupsInCircles(parents: Int32Array, others: readonly (readonly number[])[]): Int32Array {
  const size = parents.length;
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const group = new Int32Array(size).fill(-1);
  /** Which of those above each is looked at next; the first is its parent. */
  const next = new Int32Array(size);
  const stack: number[] = [];
  const work: number[] = [];
  let count = 0;
  const enter = (at: number) => {
    index[at] = low[at] = count++;
    stack.push(at);
    work.push(at);
  };
  for (let start = 0; start < size; start++) {
    if (index[start] !== -1) continue;
    enter(start);
    while (work.length > 0) {
      const at = work.at(-1)!;
      const turn = next[at]!++;
      if (turn <= others[at]!.length) {
        const above = turn === 0 ? parents[at]! : others[at]![turn - 1]!;
        if (above === -1) continue;
        if (index[above] === -1) enter(above);
        else if (group[above] === -1) low[at] = Math.min(low[at]!, index[above]!);
        continue;
      }
      work.pop();
      const under = work.at(-1);
      if (under !== undefined) low[under] = Math.min(low[under]!, low[at]!);
      if (low[at] !== index[at]) continue;
      for (let member = stack.pop()!; ; member = stack.pop()!) {
        group[member] = index[at]!;
        if (member === at) break;
      }
    }
  }
  return group;
}
