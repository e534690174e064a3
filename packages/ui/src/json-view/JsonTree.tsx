import { ChevronDown, ChevronRight, Route, UnfoldVertical } from "lucide-react";
import type { KeyboardEvent } from "react";
import { memo, useId, useMemo, useRef, useState } from "react";
import { IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { CopyButton } from "../CopyButton.tsx";
import { SearchBox } from "../lines/SearchBox.tsx";
import { copyText } from "../toasts.ts";
import { useWindow } from "../data-table/use-window.ts";
import {
  findInJson,
  type JsonNode,
  mostNodes,
  preview,
  visibleNodes,
  writePath,
} from "./json-nodes.ts";
import type { JsonViewProps } from "./JsonView.tsx";

const lineHeight = 22;
const longestDrawn = 300;

function colourOf(value: unknown): string {
  if (typeof value === "string") return "text-(--syntax-string)";
  if (typeof value === "number") return "text-(--syntax-number)";
  if (value === null || typeof value === "boolean") return "text-(--syntax-keyword)";
  return "text-muted";
}

interface NodeLineProps {
  id: string;
  index: number;
  node: JsonNode;
  isActive: boolean;
  isFound: boolean;
  onPress: (node: JsonNode) => void;
}

const NodeLine = memo(function NodeLine({
  id,
  index,
  node,
  isActive,
  isFound,
  onPress,
}: NodeLineProps) {
  const { name, size, isOpen, value } = node;
  const canOpen = size !== null && size > 0;
  const words = preview(value);
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus, jsx-a11y/click-events-have-key-events -- the tree has the focus and handles its keys
    <div
      id={id}
      data-index={index}
      role="treeitem"
      aria-level={node.depth + 1}
      aria-expanded={canOpen ? isOpen : undefined}
      aria-selected={isActive}
      onClick={() => onPress(node)}
      style={{ height: lineHeight, paddingLeft: 8 + Math.min(node.depth, 30) * 14 }}
      className={classNames(
        "flex w-full cursor-default items-center gap-1 pr-3 whitespace-nowrap hover:bg-hover",
        isActive && "bg-selected!",
        isActive &&
          "group-focus-visible/tree:outline-2 group-focus-visible/tree:-outline-offset-2 group-focus-visible/tree:outline-focus",
      )}
    >
      <span aria-hidden="true" className="flex w-3.5 shrink-0 text-muted">
        {canOpen &&
          (isOpen ? (
            <ChevronDown size={14} strokeWidth={1.75} />
          ) : (
            <ChevronRight size={14} strokeWidth={1.75} />
          ))}
      </span>
      {name !== null && (
        <span
          className={classNames(
            "shrink-0",
            typeof name === "number" ? "text-muted" : "text-(--syntax-key)",
            isFound && "rounded-bar bg-warning-bg text-warning-fg! underline",
          )}
        >
          {name}:
        </span>
      )}
      <span
        className={classNames(
          "min-w-0 truncate",
          isFound && size === null
            ? "rounded-bar bg-warning-bg text-warning-fg underline"
            : colourOf(value),
        )}
      >
        {words.length > longestDrawn ? `${words.slice(0, longestDrawn)} …` : words}
      </span>
    </div>
  );
});

const noToggles: ReadonlyMap<string, boolean> = new Map();

export function JsonTree({ label, value, openLevels = 2 }: JsonViewProps) {
  const treeId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [toggled, setToggled] = useState(noToggles);
  const [opensAll, setOpensAll] = useState(false);
  const [activeId, setActiveId] = useState(".");
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);

  const nodes = useMemo(
    () => visibleNodes(value, (id, depth) => toggled.get(id) ?? (opensAll || depth < openLevels)),
    [value, toggled, opensAll, openLevels],
  );
  const found = useMemo(() => findInJson(value, words), [value, words]);
  const foundIds = useMemo(() => new Set(found.map((path) => writePath(path))), [found]);
  const activeIndex = Math.max(
    0,
    nodes.findIndex((node) => node.id === activeId),
  );
  const active = nodes[activeIndex];
  const lines = useWindow(scroller, { count: nodes.length, lineHeight, overscan: 10 });

  const toggle = (node: JsonNode, isOpen = !node.isOpen) =>
    setToggled(new Map(toggled).set(node.id, isOpen));
  const moveTo = (index: number) => {
    const node = nodes[Math.min(nodes.length - 1, Math.max(0, index))];
    if (!node) return;
    setActiveId(node.id);
    lines.scrollTo(nodes.indexOf(node));
  };

  /** Opens what is around a found place and goes there. */
  const goTo = (index: number) => {
    const count = found.length;
    const to = count === 0 ? 0 : (index + count) % count;
    const path = found[to];
    if (!path) return;
    setAt(to);
    const next = new Map(toggled);
    for (let depth = 0; depth < path.length; depth += 1)
      next.set(writePath(path.slice(0, depth)), true);
    setToggled(next);
    const id = writePath(path);
    setActiveId(id);
    const shown = visibleNodes(
      value,
      (other, depth) => next.get(other) ?? (opensAll || depth < openLevels),
    ).findIndex((node) => node.id === id);
    // The scroller has room for the opened nodes only after they are drawn.
    requestAnimationFrame(() => lines.scrollTo(Math.max(0, shown)));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isCommand = event.metaKey || event.ctrlKey;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / lineHeight) - 1);
    // What was marked as text is copied as text, by the browser.
    if (isCommand && event.key === "c" && window.getSelection()?.isCollapsed === false) return;
    const parent = () =>
      nodes.findLastIndex(
        (node, index) => index < activeIndex && node.depth < (active?.depth ?? 0),
      );
    const moves: Record<string, () => void> = isCommand
      ? {
          f: () => box.current?.focus(),
          c: () => void copyText(JSON.stringify(active?.value, null, 2)),
        }
      : {
          ArrowDown: () => moveTo(activeIndex + 1),
          j: () => moveTo(activeIndex + 1),
          ArrowUp: () => moveTo(activeIndex - 1),
          k: () => moveTo(activeIndex - 1),
          PageDown: () => moveTo(activeIndex + page),
          PageUp: () => moveTo(activeIndex - page),
          Home: () => moveTo(0),
          End: () => moveTo(nodes.length - 1),
          ArrowRight: () => {
            if (active?.isOpen) moveTo(activeIndex + 1);
            else if (active && (active.size ?? 0) > 0) toggle(active, true);
          },
          ArrowLeft: () => {
            if (active?.isOpen) toggle(active, false);
            else if (parent() >= 0) moveTo(parent());
          },
          Enter: () => active && (active.size ?? 0) > 0 && toggle(active),
          " ": () => active && (active.size ?? 0) > 0 && toggle(active),
          "/": () => box.current?.focus(),
        };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };

  const whole = () => JSON.stringify(value, null, 2);
  return (
    <section
      aria-label={label}
      className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden rounded-card border bg-sunken"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b bg-surface px-2 py-0.5">
        <SearchBox
          label={label}
          placeholder="Search keys and values"
          words={words}
          onWords={(next) => {
            setWords(next);
            setAt(-1);
          }}
          hasMatches={found.length > 0}
          onMove={(step) => goTo(at < 0 && step < 0 ? found.length - 1 : at + step)}
          onLeave={() => scroller.current?.focus()}
          status={
            words === ""
              ? ""
              : found.length === 0
                ? "No result"
                : `${Math.max(0, at) + 1} of ${found.length}`
          }
          inputRef={box}
        />
        <span className="flex items-center gap-0.5">
          <IconButton
            label={opensAll ? "Close all" : "Open all"}
            icon={<UnfoldVertical size={14} strokeWidth={1.75} />}
            onClick={() => {
              setOpensAll(!opensAll);
              setToggled(noToggles);
            }}
          />
          <IconButton
            label={`Copy path ${active?.id ?? "."}`}
            icon={<Route size={14} strokeWidth={1.75} />}
            onClick={() => void copyText(active?.id ?? ".")}
          />
          <CopyButton label="Copy" text={whole} />
        </span>
      </div>
      <div
        ref={scroller}
        role="tree"
        aria-label={`${label}, values`}
        aria-activedescendant={
          activeIndex >= lines.start && activeIndex < lines.end
            ? `${treeId}-${activeIndex}`
            : undefined
        }
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/tree min-h-40 flex-1 overflow-auto py-1 font-mono text-xs [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        <div role="presentation" style={{ height: lines.before }} />
        {nodes.slice(lines.start, lines.end).map((node, offset) => (
          <NodeLine
            key={node.id}
            id={`${treeId}-${lines.start + offset}`}
            index={lines.start + offset}
            node={node}
            isActive={lines.start + offset === activeIndex}
            isFound={foundIds.has(node.id)}
            onPress={(pressed) => {
              setActiveId(pressed.id);
              if ((pressed.size ?? 0) > 0) toggle(pressed);
            }}
          />
        ))}
        <div role="presentation" style={{ height: lines.after }} />
        {nodes.length >= mostNodes && (
          <p className="m-0 px-3 py-1 font-sans text-muted">
            More is not shown; Copy takes all of it.
          </p>
        )}
      </div>
    </section>
  );
}
