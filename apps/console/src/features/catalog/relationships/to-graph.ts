import { hardRelation, isHealth } from "@mainstay/contract/catalog.ts";
import type { GraphEdge, GraphNode } from "@mainstay/ui/graph-view/graph.ts";
import { shortIds } from "#lib/graph-look.ts";
import { paths } from "#lib/paths.ts";
import { itemName } from "../shared/ItemLink.tsx";
import { countText } from "../figures/counts.tsx";
import { type Related, relationLabel } from "./find-related.ts";
import { type RelatedItem, totalChanges } from "./queries.ts";

/** Document 2, section 2: health, type, number of changes, tags of namespace and cluster. */
function toNode(item: RelatedItem, id: string, isFaint: boolean): GraphNode {
  const total = totalChanges(item);
  const tone = isHealth(item.health) ? item.health : undefined;
  return {
    id,
    kind: item.type,
    title: itemName(item),
    href: paths.catalogItem(item.id),
    tone,
    toneLabel: item.status ?? item.health ?? undefined,
    note: total === 0 ? undefined : `${countText(total)} ${total === 1 ? "change" : "changes"}`,
    tags: [item.tags?.["namespace"], item.tags?.["cluster"]].filter((tag) => tag !== undefined),
    isGone: item.deleted_at !== null,
    isFaint,
  };
}

export interface RelatedGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
  root: string;
}

/** What hangs on an item, as a graph. */
export function toGraph({ items, ties, faint }: Related, rootId: string): RelatedGraph {
  const short = shortIds([rootId, ...items.map(({ id }) => id)]);
  return {
    root: short(rootId),
    nodes: items.map((item) => toNode(item, short(item.id), faint.has(item.id))),
    edges: ties.map(({ from, to, names }) => ({
      from: short(from),
      to: short(to),
      isSoft: !names.includes(hardRelation),
      label:
        names
          .filter((name) => name !== "")
          .map(relationLabel)
          .join(", ") || undefined,
    })),
  };
}
