import { ReactFlow, ReactFlowProvider, useReactFlow, useStore, useStoreApi } from "@xyflow/react";
import {
  ArrowDownFromLine,
  ArrowRightFromLine,
  ImageDown,
  Maximize,
  Spline,
  Waypoints,
  ZoomIn,
  ZoomOut,
} from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button, IconButton } from "../Button.tsx";
import { Menu } from "../Menu.tsx";
import { SkeletonRows } from "../Skeletons.tsx";
import { StatusDot } from "../StatusDot.tsx";
import { toastFailed } from "../toasts.ts";
import { phoneQuery, useMediaQuery } from "../use-media-query.ts";
import { ActiveCardContext, createActiveCard } from "./active-card.ts";
import { foldGraph } from "./fold-graph.ts";
import "./graph-view.css";
import {
  type Carried,
  cardsAtOnce,
  type GraphEdge,
  type GraphLook,
  type GraphNode,
  type ShownGraph,
} from "./graph.ts";
import { type CardNode, GraphCard } from "./GraphCard.tsx";
import { GraphLines } from "./GraphLines.tsx";
import { GraphMinimap } from "./GraphMinimap.tsx";
import type { PlacedCard, PlacedGraph, Rect } from "./layout/plan-layout.ts";
import { type ArrowKey, moveFrom } from "./move.ts";
import { type Layout, useLayout } from "./use-layout.ts";

export interface GraphViewProps {
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** Where the graph begins; without it, wherever nothing leads to. */
  root?: string | undefined;
  look: GraphLook;
  onLook: (change: Partial<GraphLook>) => void;
  onOpen: (node: GraphNode) => void;
  /** How a kind is called on cards; its own name unless said. */
  kindLabel?: (kind: string) => string;
  /** What a line that carries something means, as its legend says it. */
  carryLabel?: (carried: Carried) => string;
  /** Without its ending, the name of the file of a picture. */
  pictureName: string;
  /** Further controls, beside the graph's own. */
  children?: ReactNode;
}

/** Document 2, section 9. */
const rankSeparation = 120;
const nodeSeparation = 100;
/** More cards than these stand closer: a layer of hundreds would be a hundred screens long. */
const closeAbove = 60;
const closeSeparation = 24;

const nodeTypes = { card: GraphCard };
const animationMs = 300;
const leastZoom = 0.02;
const mostZoom = 2;
/** Below it nothing on a card can be read. */
const farZoom = 0.4;
/** A graph begins whole where its words are read with ease so, else in full size, at its start. */
const easyZoom = 0.75;
/** A layout that takes longer than a moment says so. */
const momentMs = 400;
const fitPadding = 48;
const arrows: ReadonlySet<string> = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);
const asIs = (kind: string) => kind;
const number = new Intl.NumberFormat();

/** Where a graph in full size begins along one axis: in the middle where it fits, else as wanted, with no room left empty. */
const beginning = (room: number, size: number, wanted: number) =>
  size + 2 * fitPadding <= room
    ? (room - size) / 2
    : Math.min(fitPadding, Math.max(room - fitPadding - size, wanted));

/**
 * A graph of cards in layers. With the keyboard: arrows go along the edges and between neighbours, Enter opens, Space
 * folds and unfolds, plus and minus zoom, 0 shows all.
 */
export function GraphView(props: GraphViewProps) {
  const { nodes, edges, root, look } = props;
  const { toggled, most, direction } = look;
  const shown = useMemo(
    () => foldGraph(nodes, edges, { root, toggled, most }),
    [nodes, edges, root, toggled, most],
  );
  const layout = useLayout(shown, {
    direction,
    rankSeparation,
    nodeSeparation: shown.cards.length > closeAbove ? closeSeparation : nodeSeparation,
  });
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <GraphNotice shown={shown} layout={layout} {...props} />
      {layout.placed ? (
        <ReactFlowProvider>
          <GraphCanvas {...props} placed={layout.placed} positions={layout.positions} />
        </ReactFlowProvider>
      ) : (
        <SkeletonRows />
      )}
    </div>
  );
}

/** What is not drawn, and what is being done. */
function GraphNotice({
  shown,
  layout,
  look,
  onLook,
  kindLabel = asIs,
}: GraphViewProps & { shown: ShownGraph; layout: Layout }) {
  const { busyWith, cancel, isPlain, error } = layout;
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (busyWith === undefined) return;
    const timer = setTimeout(() => setIsLong(true), momentMs);
    return () => {
      clearTimeout(timer);
      setIsLong(false);
    };
  }, [busyWith]);
  const kinds = shown.leftKinds.slice(0, 3);
  const more = shown.leftKinds.length - kinds.length;
  const bar = "flex shrink-0 flex-wrap items-center gap-2 border-b bg-sunken px-4 py-1 text-xs";
  return (
    <>
      {shown.left > 0 && (
        <div role="status" className={bar}>
          <span>
            The nearest {number.format(shown.cards.length)} cards are drawn.{" "}
            {number.format(shown.left)} things farther away are not:{" "}
            {kinds.map(([kind, count]) => `${number.format(count)} ${kindLabel(kind)}`).join(", ")}
            {more > 0 && ` and ${more} more kinds`}.
          </span>
          <Button onClick={() => onLook({ most: look.most + cardsAtOnce })}>
            Draw {number.format(Math.min(cardsAtOnce, shown.left))} more
          </Button>
        </div>
      )}
      {busyWith !== undefined && isLong && (
        <div role="status" className={bar}>
          <span>Laying out {number.format(busyWith)} cards …</span>
          <Button onClick={cancel}>Do not wait</Button>
        </div>
      )}
      {isPlain && (
        <div role="status" className={bar}>
          {error
            ? `The layout failed (${error.message}); the cards stand in plain layers.`
            : "The layout was not waited for: the cards stand in plain layers."}
        </div>
      )}
    </>
  );
}

function GraphCanvas(
  props: GraphViewProps & { placed: PlacedGraph; positions: Layout["positions"] },
) {
  const { label, placed, positions, root, look, onLook, onOpen, kindLabel = asIs } = props;
  const start = root ?? placed.cards.keys().next().value ?? "";
  const { direction, edgeStyle } = look;
  const idPrefix = useId();
  const [active] = useState(() => createActiveCard(start));
  const flow = useReactFlow();
  const store = useStoreApi();
  const flowElement = useRef<HTMLDivElement>(null);
  const isReady = useStore((state) => state.width > 0 && state.panZoom !== null);
  const isFar = useStore((state) => state.transform[2] < farZoom);
  const isPhone = useMediaQuery(phoneQuery);
  const isStill = useMediaQuery("(prefers-reduced-motion: reduce)");
  const duration = isStill ? 0 : animationMs;
  const domIds = useMemo(
    () => new Map([...placed.cards.keys()].map((id, index) => [id, `${idPrefix}${index}`])),
    [placed, idPrefix],
  );

  /** Where a card was on the screen when it was folded or unfolded: it stays there. */
  const anchor = useRef<{ id: string; x: number; y: number }>(null);
  const toggle = useCallback(
    (id: string) => {
      const [x, y, zoom] = store.getState().transform;
      const card = placed.cards.get(id);
      if (card) anchor.current = { id, x: card.x * zoom + x, y: card.y * zoom + y };
      active.set(id);
      const toggled = new Set(look.toggled);
      if (!toggled.delete(id)) toggled.add(id);
      onLook({ toggled });
    },
    [active, look.toggled, onLook, placed, store],
  );
  const flowNodes = useMemo(
    () =>
      [...placed.cards.values()].map(({ card, x, y, width, height }): CardNode => ({
        id: card.id,
        type: "card",
        position: { x, y },
        width,
        height,
        measured: { width, height },
        handles: [],
        draggable: false,
        selectable: false,
        focusable: false,
        connectable: false,
        deletable: false,
        // Cards say what they are.
        domAttributes: { "aria-roledescription": undefined },
        data: {
          card,
          domId: domIds.get(card.id) ?? "",
          isRoot: card.id === root,
          direction: placed.direction,
          kindLabel,
          onOpen,
          onToggle: toggle,
        },
      })),
    [placed, domIds, root, kindLabel, onOpen, toggle],
  );

  const fittingZoom = () => {
    const { width, height } = store.getState();
    const room = Math.min(
      (width - 2 * fitPadding) / Math.max(1, placed.width),
      (height - 2 * fitPadding) / Math.max(1, placed.height),
    );
    return Math.max(leastZoom, Math.min(1, room));
  };
  const fit = (ms: number) => {
    const { width, height } = store.getState();
    const zoom = fittingZoom();
    const x = (width - placed.width * zoom) / 2;
    const y = (height - placed.height * zoom) / 2;
    void flow.setViewport({ zoom, x, y }, { duration: ms });
  };
  const centre = (rect: Rect, zoom: number) =>
    void flow.setCenter(rect.x + rect.width / 2, rect.y + rect.height / 2, { zoom, duration });
  const moveTo = (id: string) => {
    const card = placed.cards.get(id);
    if (!card) return;
    active.set(id);
    const { transform, width, height } = store.getState();
    const [x, y, zoom] = transform;
    const left = card.x * zoom + x;
    const top = card.y * zoom + y;
    const isInView =
      left >= 0 &&
      top >= 0 &&
      left + card.width * zoom <= width &&
      top + card.height * zoom <= height;
    if (!isInView || zoom < farZoom) centre(card, Math.max(zoom, easyZoom));
  };

  // Whoever has folded something goes on looking at it; what is new is shown whole where it can be read with ease so.
  const settle = useEffectEvent(() => {
    const kept = anchor.current;
    anchor.current = null;
    const card = kept && placed.cards.get(kept.id);
    if (kept && card) {
      const zoom = flow.getZoom();
      void flow.setViewport({ zoom, x: kept.x - card.x * zoom, y: kept.y - card.y * zoom });
      return;
    }
    if (!placed.cards.has(active.get())) active.set(start);
    const first = placed.cards.get(active.get());
    if (!first || fittingZoom() >= easyZoom) {
      fit(0);
      return;
    }
    const { width, height } = store.getState();
    const isRight = placed.direction === "right";
    void flow.setViewport({
      zoom: 1,
      x: beginning(
        width,
        placed.width,
        Math.max(24, width / (isRight ? 4 : 2) - first.width / 2) - first.x,
      ),
      y: beginning(
        height,
        placed.height,
        Math.max(56, height / (isRight ? 2 : 4) - first.height / 2) - first.y,
      ),
    });
  });
  useEffect(() => {
    if (isReady) settle();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- once for every layout
  }, [isReady, positions]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = active.get();
    const card = placed.cards.get(at)?.card;
    const actions: Readonly<Record<string, () => void>> = {
      Enter: () => document.getElementById(domIds.get(at) ?? "")?.click(),
      " ": () => {
        if (card && (card.type === "group" || card.isOpen !== undefined)) toggle(at);
      },
      Home: () => moveTo(start),
      "+": () => void flow.zoomIn({ duration }),
      "=": () => void flow.zoomIn({ duration }),
      "-": () => void flow.zoomOut({ duration }),
      "0": () => fit(duration),
    };
    const action = arrows.has(event.key)
      ? () => moveTo(moveFrom(placed, at, event.key as ArrowKey))
      : actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  return (
    <ActiveCardContext value={active}>
      <div className="relative min-h-0 min-w-0 flex-1">
        <ReactFlow
          className="graph-canvas"
          data-detail={isFar ? "far" : "near"}
          aria-roledescription="graph"
          aria-label={`${label}. Arrows go along the edges, Enter opens, Space folds, plus and minus zoom, 0 shows all.`}
          tabIndex={0}
          onKeyDown={onKeyDown}
          onFocus={({ target, currentTarget }) => {
            if (target === currentTarget || target.closest("a[target]")) return;
            // A card may be gone with the next step, and the keyboard with it.
            const id = target.closest<HTMLElement>("[data-card]")?.dataset["card"];
            if (id !== undefined) active.set(id);
            currentTarget.focus({ preventScroll: true });
          }}
          onMoveStart={() => flowElement.current?.setAttribute("data-moving", "")}
          onMoveEnd={() => flowElement.current?.removeAttribute("data-moving")}
          onPaneClick={(event) => {
            const mark = isFar
              ? markAt(placed, flow.screenToFlowPosition(pointOf(event)))
              : undefined;
            if (!mark) return;
            active.set(mark.card.id);
            centre(mark, 1);
          }}
          ref={flowElement}
          nodes={isFar ? noNodes : flowNodes}
          edges={noEdges}
          nodeTypes={nodeTypes}
          minZoom={leastZoom}
          maxZoom={mostZoom}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          panActivationKeyCode={null}
          zoomActivationKeyCode={null}
          zoomOnDoubleClick={false}
          attributionPosition="bottom-left"
        >
          <GraphLines placed={placed} edgeStyle={edgeStyle} isFar={isFar} root={root} />
          {!isPhone && <GraphMinimap placed={placed} />}
        </ReactFlow>
        <Legend placed={placed} {...(props.carryLabel && { carryLabel: props.carryLabel })} />
        <div className="absolute top-2 right-2 z-10 flex flex-wrap justify-end gap-0.5 rounded-control border bg-raised p-0.5">
          {props.children}
          <IconButton
            label={
              direction === "right" ? "Layers from above to below" : "Layers from left to right"
            }
            icon={
              direction === "right" ? (
                <ArrowDownFromLine size={16} strokeWidth={1.75} />
              ) : (
                <ArrowRightFromLine size={16} strokeWidth={1.75} />
              )
            }
            onClick={() => onLook({ direction: direction === "right" ? "down" : "right" })}
          />
          <IconButton
            label={edgeStyle === "bezier" ? "Lines with corners" : "Curved lines"}
            icon={
              edgeStyle === "bezier" ? (
                <Waypoints size={16} strokeWidth={1.75} />
              ) : (
                <Spline size={16} strokeWidth={1.75} />
              )
            }
            onClick={() => onLook({ edgeStyle: edgeStyle === "bezier" ? "smoothstep" : "bezier" })}
          />
          <IconButton
            label="Zoom in"
            icon={<ZoomIn size={16} strokeWidth={1.75} />}
            onClick={() => void flow.zoomIn({ duration })}
          />
          <IconButton
            label="Zoom out"
            icon={<ZoomOut size={16} strokeWidth={1.75} />}
            onClick={() => void flow.zoomOut({ duration })}
          />
          <IconButton
            label="Show all"
            icon={<Maximize size={16} strokeWidth={1.75} />}
            onClick={() => fit(duration)}
          />
          <PictureMenu {...props} />
        </div>
      </div>
    </ActiveCardContext>
  );
}

/** What lines that carry something mean; nothing where none does. */
function Legend({
  placed,
  carryLabel,
}: Pick<GraphViewProps, "carryLabel"> & { placed: PlacedGraph }) {
  const carried = new Set(placed.lines.map(({ carries }) => carries));
  const shown = (["unhealthy", "warning"] as const).filter((tone) => carried.has(tone));
  if (!carryLabel || shown.length === 0) return null;
  return (
    <ul
      aria-label="What the lines mean"
      className="absolute bottom-6 left-2 z-10 m-0 flex list-none flex-col gap-0.5 rounded-control border bg-raised px-2 py-1 text-2xs text-muted"
    >
      {shown.map((tone) => (
        <li key={tone} className="flex items-center gap-1.5">
          <StatusDot tone={tone} />
          {carryLabel(tone)}
        </li>
      ))}
    </ul>
  );
}

const noEdges: never[] = [];
const noNodes: CardNode[] = [];

const pointOf = ({ clientX: x, clientY: y }: { clientX: number; clientY: number }) => ({ x, y });

/** So far beside a mark it is meant all the same: it is a few pixels large. */
const markReach = 60;

function markAt({ cards }: PlacedGraph, { x, y }: { x: number; y: number }) {
  const aside = (rect: Rect) =>
    Math.max(rect.x - x, x - rect.x - rect.width, rect.y - y, y - rect.y - rect.height, 0);
  let best: PlacedCard | undefined;
  for (const card of cards.values())
    if (aside(card) <= markReach && (!best || aside(card) < aside(best))) best = card;
  return best;
}

function PictureMenu({
  placed,
  look,
  pictureName,
  kindLabel = asIs,
}: GraphViewProps & { placed: PlacedGraph }) {
  const save = (format: "svg" | "png") => () =>
    void import("./save-picture.ts")
      .then(({ savePicture }) =>
        savePicture(placed, { format, name: pictureName, edgeStyle: look.edgeStyle, kindLabel }),
      )
      .catch((error: unknown) =>
        toastFailed(
          `The picture could not be made: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
  return (
    <Menu
      label="Save a picture"
      entries={[
        { kind: "action", label: "Save as SVG", onSelect: save("svg") },
        { kind: "action", label: "Save as PNG", onSelect: save("png") },
      ]}
      renderTrigger={(trigger) => (
        <IconButton
          label="Save a picture"
          icon={<ImageDown size={16} strokeWidth={1.75} />}
          {...trigger}
        />
      )}
    />
  );
}
