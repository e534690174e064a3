import {
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { TopologyComponent } from "@mainstay/contract/topology-answers.ts";
import type { Rows, WindowedRowsProps } from "../many/WindowedRows.tsx";
import { ComponentCard, type ComponentCardProps } from "../shared/ComponentCard.tsx";

const gap = 12;
const padding = 16;
/** Of a row of cards that nobody has measured yet. */
const likelyHeight = 190;
/** So many cards are drawn wherever the page is scrolled. */
const mostWhole = 40;

export interface CardGridProps {
  label: string;
  components: readonly TopologyComponent[];
  /** Pixels; no more than there is room for. */
  cardWidth: number;
  Menu?: ComponentCardProps["Menu"];
}

// Few cards are drawn whole, and need none of it.
const WindowedRows = lazyPart(() =>
  import("../many/WindowedRows.tsx").then((module) => module.WindowedRows),
);

function WholeRows({ options, children }: WindowedRowsProps): ReactNode {
  return children({
    start: 0,
    end: options.count,
    before: 0,
    after: 0,
    scrollTo: () => {},
    measure: () => {},
  });
}

const steps = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
} as const;

/** Where a key leads from the card at a place. */
function moved(key: string, at: number, perRow: number, count: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = Object.hasOwn(steps, key) ? steps[key as keyof typeof steps] : undefined;
  if (!step) return undefined;
  const next = at + step[0] + step[1] * perRow;
  // Below the last row that is not full stands its last card.
  if (step[1] === 1 && next >= count)
    return Math.floor(at / perRow) < Math.floor((count - 1) / perRow) ? count - 1 : at;
  return next < 0 || next >= count ? at : next;
}

/** Cards in rows, of which only those in view are drawn. Arrows move between them, Enter opens one. */
export function CardGrid({ label, components, cardWidth, Menu }: CardGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => setRoom(element.clientWidth - 2 * padding);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const perRow = Math.max(1, Math.floor((room + gap) / (cardWidth + gap)));
  const width = room > 0 ? Math.min(cardWidth, room) : cardWidth;
  const count = Math.ceil(components.length / perRow);
  // Rows are other rows when as many stand in one, or others stand first.
  const first = components[0]?.id ?? "";
  const lineKey = useCallback(
    (index: number) => `${perRow} ${width} ${first} ${index}`,
    [perRow, width, first],
  );
  const options = {
    count,
    lineHeight: likelyHeight + gap,
    overscan: 2,
    mostWhole: Math.ceil(mostWhole / perRow),
    lineKey,
  };
  const RowsOf = components.length > mostWhole ? WindowedRows : WholeRows;
  const scrollTo = useRef<Rows["scrollTo"]>(() => {});

  /** The card that Tab reaches; the first one where it is not there any more. */
  const [reached, setReached] = useState<string>();
  const place = Math.max(
    0,
    components.findIndex(({ id }) => id === reached),
  );
  const isMoving = useRef(false);
  const cardAt = (index: number) =>
    scroller.current?.querySelector<HTMLElement>(
      `[data-card="${CSS.escape(components[index]?.id ?? "")}"]`,
    );
  const onDrawn = (rows: Rows) => {
    scrollTo.current = rows.scrollTo;
    // A card that was out of view is drawn first.
    if (!isMoving.current) return;
    const card = cardAt(place);
    if (!card) return;
    isMoving.current = false;
    card.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!(event.target instanceof HTMLElement) || event.target.dataset["card"] === undefined)
      return;
    const next = moved(event.key, place, perRow, components.length);
    if (next === undefined) return;
    event.preventDefault();
    if (next === place) return;
    isMoving.current = true;
    setReached(components[next]!.id);
    scrollTo.current(Math.floor(next / perRow));
  };

  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the links in it
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto"
      onKeyDown={onKeyDown}
      onFocus={({ target }) => {
        const id = target.dataset["card"];
        if (id !== undefined) setReached(id);
      }}
    >
      {room > 0 && (
        <Suspense>
          <RowsOf scroller={scroller} options={options}>
            {(rows) => (
              <Drawn label={label} rows={rows} onDrawn={onDrawn}>
                {Array.from({ length: rows.end - rows.start }, (_, offset) => {
                  const row = rows.start + offset;
                  return (
                    <div
                      key={row}
                      ref={rows.measure}
                      data-index={row}
                      role="presentation"
                      className="grid items-start"
                      style={{
                        columnGap: gap,
                        paddingBottom: gap,
                        gridTemplateColumns: `repeat(${perRow}, ${width}px)`,
                      }}
                    >
                      {components
                        .slice(row * perRow, (row + 1) * perRow)
                        .map((component, column) => (
                          <div
                            key={component.id}
                            role="listitem"
                            aria-posinset={row * perRow + column + 1}
                            aria-setsize={components.length}
                            className="min-w-0"
                          >
                            <ComponentCard
                              component={component}
                              isReachable={row * perRow + column === place}
                              {...(Menu && { Menu })}
                            />
                          </div>
                        ))}
                    </div>
                  );
                })}
              </Drawn>
            )}
          </RowsOf>
        </Suspense>
      )}
    </div>
  );
}

/** The list with the rows that are drawn, and room for the others. */
function Drawn({
  label,
  rows,
  onDrawn,
  children,
}: {
  label: string;
  rows: Rows;
  onDrawn: (rows: Rows) => void;
  children: ReactNode;
}) {
  useEffect(() => onDrawn(rows));
  const { before, after } = rows;
  return (
    <div
      role="list"
      aria-label={label}
      style={{ padding, paddingTop: padding + before, paddingBottom: padding + after }}
    >
      {children}
    </div>
  );
}
