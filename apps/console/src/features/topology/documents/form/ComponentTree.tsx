import { ChevronRight, CircleAlert } from "lucide-react";
import { type KeyboardEvent, useEffect, useId } from "react";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { nameOf, shownOf, type WrittenComponent } from "./components-in-text.ts";

interface ComponentTreeProps {
  tree: readonly WrittenComponent[];
  current: WrittenComponent | undefined;
  folded: ReadonlySet<string>;
  isWrong: (component: WrittenComponent) => boolean;
  onChoose: (id: string) => void;
  onFold: (id: string, isFolded: boolean) => void;
  /** Up or down among those beside it; nothing where that cannot be done now. */
  onMove: ((component: WrittenComponent, by: 1 | -1) => void) | undefined;
  onRemove: ((component: WrittenComponent) => void) | undefined;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The components of a document as they stand within one another: one of them is open beside. */
export function ComponentTree(props: ComponentTreeProps) {
  const { tree, current, folded, isWrong, onChoose, onFold, onMove, onRemove } = props;
  const shown = shownOf(tree, folded);
  const treeId = useId();
  const currentId = current?.id;
  const active = currentId === undefined ? undefined : `${treeId}${currentId}`;
  useEffect(() => {
    if (active === undefined) return;
    document.getElementById(active)?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    const at = shown.findIndex(({ id }) => id === currentId);
    const one = shown[at];
    if (!one || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const go = (to: WrittenComponent | undefined) => to && onChoose(to.id);
    const isOpen = one.children.length > 0 && !folded.has(one.id);
    const move = (by: 1 | -1) => (event.altKey ? onMove?.(one, by) : go(shown[at + by]));
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () => (isOpen ? go(one.children[0]) : onFold(one.id, false)),
      ArrowLeft: () =>
        isOpen ? onFold(one.id, true) : go(shown.find(({ children }) => children.includes(one))),
      Delete: () => onRemove?.(one),
    };
    const run = keys[event.key];
    if (!run || (event.altKey && !event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };

  const branch = (components: readonly WrittenComponent[], level: number) =>
    components.map((one) => {
      const isFolded = folded.has(one.id);
      const hasChildren = one.children.length > 0;
      const isCurrent = one.id === currentId;
      const wrong = isWrong(one);
      const name = nameOf(one);
      return (
        <li key={one.id} role="none">
          <div className="flex min-w-0 items-center">
            <button
              type="button"
              tabIndex={-1}
              aria-hidden="true"
              disabled={!hasChildren}
              onClick={() => onFold(one.id, !isFolded)}
              className="flex size-6 shrink-0 items-center justify-center rounded-control border-0 bg-transparent p-0 text-muted enabled:hover:bg-hover"
            >
              {hasChildren && (
                <ChevronRight
                  size={14}
                  strokeWidth={1.75}
                  className={isFolded ? "" : "rotate-90"}
                />
              )}
            </button>
            <button
              type="button"
              role="treeitem"
              id={`${treeId}${one.id}`}
              tabIndex={-1}
              aria-level={level}
              aria-selected={isCurrent}
              {...(hasChildren && { "aria-expanded": !isFolded })}
              onClick={() => onChoose(one.id)}
              className="flex min-h-7 min-w-0 flex-1 items-center gap-1.5 rounded-control border-0 bg-transparent px-1.5 text-left text-sm hover:bg-hover aria-selected:bg-selected"
            >
              <Icon
                name={textOf(one.component["icon"]) || textOf(one.component["type"]) || name}
                size={14}
              />
              <bdi className="truncate">{name}</bdi>
              {wrong && (
                <>
                  <span className="sr-only">, with a mistake</span>
                  <CircleAlert
                    aria-hidden="true"
                    size={14}
                    strokeWidth={1.75}
                    className="ml-auto shrink-0 text-unhealthy-fg"
                  />
                </>
              )}
            </button>
          </div>
          {hasChildren && !isFolded && (
            <ul role="group" className="m-0 list-none p-0 pl-4">
              {branch(one.children, level + 1)}
            </ul>
          )}
        </li>
      );
    });

  return (
    <ul
      role="tree"
      tabIndex={0}
      {...(active !== undefined && { "aria-activedescendant": active })}
      aria-label="Components"
      onKeyDown={onKeyDown}
      className="m-0 max-h-[50vh] list-none overflow-auto p-0"
    >
      {branch(tree, 1)}
    </ul>
  );
}
