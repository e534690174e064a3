import type { LayoutTask, Positions } from "./task.ts";

/** Layer by layer as they are reached, at once and without care for what crosses what. */
export function layOutPlainly(task: LayoutTask): Positions {
  const { boxes, links, direction, rankSeparation, nodeSeparation } = task;
  const targets = new Map<string, string[]>();
  const hasIncoming = new Set<string>();
  for (const [from, to] of links) {
    targets.set(from, [...(targets.get(from) ?? []), to]);
    hasIncoming.add(to);
  }
  const layerOf = new Map<string, number>();
  const ids = boxes.map(({ id }) => id);
  for (const start of [...ids.filter((id) => !hasIncoming.has(id)), ...ids]) {
    if (layerOf.has(start)) continue;
    layerOf.set(start, 0);
    const queue = [start];
    for (const id of queue)
      for (const to of targets.get(id) ?? []) {
        if (layerOf.has(to)) continue;
        layerOf.set(to, (layerOf.get(id) ?? 0) + 1);
        queue.push(to);
      }
  }
  const isRight = direction === "right";
  const lengths: number[] = [];
  const thickness: number[] = [];
  for (const { id, width, height } of boxes) {
    const layer = layerOf.get(id) ?? 0;
    thickness[layer] = Math.max(thickness[layer] ?? 0, isRight ? width : height);
  }
  const starts = thickness.map((_, layer) =>
    thickness.slice(0, layer).reduce((sum, one) => sum + one + rankSeparation, 0),
  );
  return boxes.map(({ id, width, height }) => {
    const layer = layerOf.get(id) ?? 0;
    const along = starts[layer] ?? 0;
    const across = lengths[layer] ?? 0;
    lengths[layer] = across + (isRight ? height : width) + nodeSeparation;
    return isRight ? [id, along, across] : [id, across, along];
  });
}
