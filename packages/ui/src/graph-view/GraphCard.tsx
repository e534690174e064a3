import type { NodeProps, Node as FlowNode } from "@xyflow/react";
import { ChevronDown, ChevronRight, Minus, Plus } from "lucide-react";
import { type MouseEvent, memo } from "react";
import { Badge } from "../Badge.tsx";
import { classNames } from "../class-names.ts";
import { Icon } from "../Icon.tsx";
import { StatusDot } from "../StatusDot.tsx";
import { useIsActive } from "./active-card.ts";
import type { Card, Direction, GraphNode } from "./graph.ts";

export interface CardData extends Record<string, unknown> {
  card: Card;
  domId: string;
  isRoot: boolean;
  direction: Direction;
  kindLabel: (kind: string) => string;
  onOpen: (node: GraphNode) => void;
  onToggle: (id: string) => void;
}

export type CardNode = FlowNode<CardData, "card">;

const number = new Intl.NumberFormat();

/** A plain click stays in the page; any other does what the browser does with links. */
const isPlain = (event: MouseEvent) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

function NodeCard({ data, card }: { data: CardData; card: Extract<Card, { type: "node" }> }) {
  const { node, isOpen } = card;
  const { domId, isRoot, direction, onOpen, onToggle } = data;
  const isActive = useIsActive(card.id);
  const kind = data.kindLabel(node.kind);
  const face = (
    <>
      <span className="flex w-full min-w-0 items-center gap-1.5">
        <Icon name={node.icon ?? node.kind} />
        <bdi
          className={classNames(
            "min-w-0 flex-1 truncate text-sm",
            isRoot ? "font-semibold" : "font-medium",
            node.isGone === true && "line-through",
          )}
        >
          {node.title}
        </bdi>
        {node.tone && (
          <span className="flex max-w-24 shrink-0 items-center gap-1 text-2xs text-muted">
            <StatusDot tone={node.tone} />
            <span className="truncate">{node.toneLabel}</span>
          </span>
        )}
        {node.isGone === true && <span className="sr-only">deleted</span>}
        {isOpen === false && <span className="sr-only">folded</span>}
      </span>
      <span className="flex w-full min-w-0 items-center gap-1.5 text-2xs text-muted">
        <span className="min-w-0 flex-1 truncate">{kind}</span>
        {node.note !== undefined && <span className="shrink-0 tabular-nums">{node.note}</span>}
      </span>
      <span className="flex h-4.5 w-full min-w-0 gap-1 overflow-hidden">
        {node.tags?.map((tag) => (
          <Badge key={tag} className="shrink!">
            <bdi className="truncate">{tag}</bdi>
          </Badge>
        ))}
      </span>
    </>
  );
  const look = classNames(
    "graph-card",
    isRoot && "graph-card-root",
    isActive && "graph-card-active",
    node.isGone === true && "graph-card-gone",
    node.isFaint === true && "graph-card-faint",
  );
  const words = {
    id: domId,
    "data-tone": node.tone,
    "data-card": card.id,
    tabIndex: -1,
  };
  return (
    <>
      {node.href === undefined ? (
        <div className={look} {...words}>
          {face}
        </div>
      ) : (
        <a
          href={node.href}
          draggable={false}
          className={look}
          {...words}
          onClick={(event) => {
            if (!isPlain(event)) return;
            event.preventDefault();
            onOpen(node);
          }}
        >
          {face}
        </a>
      )}
      {isOpen !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`${isOpen ? "Fold" : "Unfold"} what hangs on ${node.title}`}
          aria-expanded={isOpen}
          className={classNames(
            "graph-fold",
            direction === "right" ? "graph-fold-right" : "graph-fold-down",
          )}
          onClick={() => onToggle(card.id)}
        >
          {isOpen ? <Minus size={10} strokeWidth={2.5} /> : <Plus size={10} strokeWidth={2.5} />}
        </button>
      )}
    </>
  );
}

function GroupCard({ data, card }: { data: CardData; card: Extract<Card, { type: "group" }> }) {
  const isActive = useIsActive(card.id);
  const kind = data.kindLabel(card.kind);
  const Mark = card.isOpen ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      id={data.domId}
      tabIndex={-1}
      data-card={card.id}
      data-tone={card.tones[0]?.[0]}
      aria-expanded={card.isOpen}
      className={classNames("graph-card graph-card-group", isActive && "graph-card-active")}
      onClick={() => data.onToggle(card.id)}
    >
      <Mark aria-hidden="true" size={14} strokeWidth={1.75} className="shrink-0 text-muted" />
      <Icon name={card.kind} />
      <span className="flex min-w-0 flex-1 flex-col items-start">
        <span className="w-full truncate text-left text-xs font-medium">{kind}</span>
        <span className="flex items-center gap-2 text-2xs text-muted tabular-nums">
          {number.format(card.count)}
          {card.tones.map(([tone, count]) => (
            <span key={tone} className="flex items-center gap-0.5">
              <StatusDot tone={tone} label={tone} />
              {count === card.count ? null : number.format(count)}
            </span>
          ))}
        </span>
      </span>
    </button>
  );
}

/** A thing of a graph, or a group of them. */
export const GraphCard = memo(function GraphCard({ data }: NodeProps<CardNode>) {
  const { card } = data;
  return card.type === "node" ? (
    <NodeCard data={data} card={card} />
  ) : (
    <GroupCard data={data} card={card} />
  );
});
