import { Graph, layout } from "@dagrejs/dagre";
import type { LayoutTask, Positions } from "./task.ts";

/** Layers by dagre: small, and quick for some hundreds of boxes. Its usual ranker takes minutes for thousands. */
export function layOutByDagre(task: LayoutTask): Positions {
  const graph = new Graph();
  graph.setGraph({
    rankdir: task.direction === "right" ? "LR" : "TB",
    ranksep: task.rankSeparation,
    nodesep: task.nodeSeparation,
    ranker: "tight-tree",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of task.boxes) graph.setNode(id, { width, height });
  for (const [from, to] of task.links) graph.setEdge(from, to);
  layout(graph);
  return task.boxes.map(({ id, width, height }) => {
    // It writes the middles of the boxes on them.
    const { x, y } = graph.node(id) as { x: number; y: number };
    return [id, x - width / 2, y - height / 2];
  });
}
