import {
  type KeyboardEvent,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { ColumnMenu } from "@mainstay/ui/data-table/ColumnMenu.tsx";
import { DataTableHeader } from "@mainstay/ui/data-table/DataTableHeader.tsx";
import { placeColumns } from "@mainstay/ui/data-table/place-columns.ts";
import { useColumnState } from "@mainstay/ui/data-table/use-column-state.ts";
import { useWindow } from "@mainstay/ui/data-table/use-window.ts";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { phoneQuery, useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import type { ShownLine } from "../shared/group-lines.ts";
import { edgeOf, LevelMark } from "../shared/levels.tsx";
import type { LogsQuestion, LogsView } from "../shared/logs-view.ts";
import { timeText } from "../shared/time-text.ts";
import { withoutColours } from "../shared/without-colours.ts";

/** Document 2, section 9. */
const rowHeight = 62;
const overscan = 10;
const headerHeight = 35;
/** So many lines before an end is reached, more are asked for. */
const askedAhead = 100;
const longestDrawn = 600;
const longestWrapped = 4000;
const mostLabels = 12;

const Details = lazyPart(() =>
  import("../details/LineDetails.tsx").then((module) => module.LineDetails),
);

export interface LineTableProps {
  rows: readonly ShownLine[];
  view: LogsView;
  source: Pick<LogsQuestion, "id" | "name" | "backend">;
  wraps: boolean;
  open: ReadonlySet<string>;
  onToggle: (id: string) => void;
  onChoose: (id: string, withShift: boolean) => void;
  onQuery: (query: string) => void;
  /** The ends come near. */
  onOlder: (() => void) | undefined;
  onNewer: (() => void) | undefined;
  /** Whether the newest line is seen. */
  onTop: (isAtTop: boolean) => void;
  foot: ReactNode;
}

const renderTime = ({ line }: ShownLine) => (
  <time
    dateTime={line.timestamp}
    className="block text-xs whitespace-nowrap text-muted tabular-nums"
  >
    {timeText(line.timestamp)}
  </time>
);

const Count = ({ count }: { count: number }) =>
  count === 1 ? null : (
    <span className="mr-1.5 rounded-full border bg-sunken px-1.5 text-2xs tabular-nums">
      {`×${count}`}
    </span>
  );

/** What a line says, to its first lines unless all are wanted; `clamp` is how they are counted. */
function Message({
  shown: { line, count },
  wraps,
  clamp,
}: {
  shown: ShownLine;
  wraps: boolean;
  clamp: string;
}) {
  return (
    <span
      className={classNames(
        "font-mono text-xs break-words whitespace-pre-wrap",
        wraps ? "block" : clamp,
      )}
    >
      <Count count={count} />
      {line.message.trim() === "" ? (
        <span className="text-muted">(empty)</span>
      ) : (
        <bdi>{withoutColours(line.message).slice(0, wraps ? longestWrapped : longestDrawn)}</bdi>
      )}
    </span>
  );
}

function columnsFor(wraps: boolean): readonly Column<ShownLine>[] {
  return [
    { id: "time", header: "Time", width: 168, minWidth: 80, renderCell: renderTime },
    {
      id: "level",
      header: "Level",
      width: 76,
      minWidth: 48,
      renderCell: ({ line }) => <LevelMark level={line.level} />,
    },
    {
      id: "labels",
      header: "Labels",
      width: 200,
      minWidth: 80,
      renderCell: ({ line }) => (
        <span className="flex max-h-12 flex-wrap gap-x-2 overflow-hidden text-2xs text-muted">
          {Object.entries(line.labels)
            // It has a column of its own.
            .filter(([name, value]) => name !== "level" || value !== line.level)
            .slice(0, mostLabels)
            .map(([name, value]) => (
              <bdi key={name} className="max-w-full truncate">
                {`${name}=${value.slice(0, 80)}`}
              </bdi>
            ))}
        </span>
      ),
    },
    {
      id: "message",
      header: "Message",
      minWidth: 200,
      hideable: false,
      renderCell: (shown) => <Message shown={shown} wraps={wraps} clamp="line-clamp-3" />,
    },
  ];
}

/** Lines, of which only those on the screen are drawn; what is seen stays where it is when others come and go. */
export function LineTable(props: LineTableProps) {
  const { rows, view, wraps, open, onOlder, onNewer } = props;
  const isPhone = useMediaQuery(phoneQuery);
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => columnsFor(wraps), [wraps]);
  const [columnState, setColumnState] = useColumnState("mainstay.columns.logs");
  const placed = useMemo(() => placeColumns(columns, columnState, 0), [columns, columnState]);
  const lineKey = useCallback((index: number) => rows[index]?.line.id ?? String(index), [rows]);
  const lines = useWindow(scroller, {
    count: rows.length,
    lineHeight: rowHeight,
    overscan,
    headerHeight: isPhone ? 0 : headerHeight,
    lineKey,
  });
  const { startOf } = lines;
  const [activeId, setActiveId] = useState<string>();
  const wanted = useRef<string>(undefined);
  const places = useMemo(
    () => new Map(rows.map(({ line }, index) => [line.id, index] as const)),
    [rows],
  );
  const activeIndex = (activeId === undefined ? undefined : places.get(activeId)) ?? 0;
  const selected = useMemo(() => new Set(view.selected), [view.selected]);

  // What is seen at the top keeps its place when lines come or go before it.
  const anchor = useRef<{ id: string; delta: number }>(undefined);
  const noteAnchor = useEffectEvent(() => {
    const box = scroller.current;
    if (!box) return;
    props.onTop(box.scrollTop < rowHeight / 2);
    let index = lines.start;
    while (index < lines.end - 1 && startOf(index + 1) <= box.scrollTop) index += 1;
    const id = rows[index]?.line.id;
    anchor.current =
      id === undefined || box.scrollTop === 0
        ? undefined
        : { id, delta: box.scrollTop - startOf(index) };
  });
  useLayoutEffect(() => {
    const box = scroller.current;
    const at = anchor.current;
    if (!box || !at) return;
    const index = places.get(at.id);
    if (index === undefined) return;
    const top = startOf(index) + at.delta;
    if (Math.abs(top - box.scrollTop) >= 1) box.scrollTop = top;
    // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- only when other lines are there; the reader scrolls otherwise
  }, [places]);
  useEffect(() => {
    const box = scroller.current;
    const note = () => noteAnchor();
    box?.addEventListener("scroll", note, { passive: true });
    return () => box?.removeEventListener("scroll", note);
  }, []);

  const isNearEnd = lines.end >= rows.length - askedAhead;
  const isNearStart = lines.start <= askedAhead;
  useEffect(() => {
    if (isNearEnd) onOlder?.();
  }, [isNearEnd, onOlder]);
  useEffect(() => {
    if (isNearStart) onNewer?.();
  }, [isNearStart, onNewer]);

  // The line that the address names is shown once it is here.
  const shownLine = useRef<string>(undefined);
  const lineIndex = places.get(view.line);
  const { scrollTo } = lines;
  useEffect(() => {
    if (view.line === "" || lineIndex === undefined || shownLine.current === view.line) return;
    const isFirst = shownLine.current === undefined;
    shownLine.current = view.line;
    if (isFirst) {
      setActiveId(view.line);
      scrollTo(lineIndex);
    }
  }, [view.line, lineIndex, scrollTo]);

  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = scroller.current?.querySelector<HTMLElement>(
      `[data-row-id="${CSS.escape(wanted.current)}"]`,
    );
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[target];
    if (!row) return;
    wanted.current = row.line.id;
    setActiveId(row.line.id);
    scrollTo(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isOnRow = event.target instanceof HTMLElement && event.target.matches("[data-row-id]");
    const row = rows[activeIndex];
    if (!row || event.metaKey || event.ctrlKey || event.altKey) return;
    const { id } = row.line;
    if (event.key === "Escape" && open.has(id)) {
      event.preventDefault();
      props.onToggle(id);
      moveTo(activeIndex);
      return;
    }
    if (!isOnRow) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const keys: Record<string, () => void> = {
      ArrowDown: () => moveTo(activeIndex + 1),
      j: () => moveTo(activeIndex + 1),
      ArrowUp: () => moveTo(activeIndex - 1),
      k: () => moveTo(activeIndex - 1),
      PageDown: () => moveTo(activeIndex + page),
      PageUp: () => moveTo(activeIndex - page),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      Enter: () => props.onToggle(id),
      " ": () => props.onChoose(id, event.shiftKey),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const onPageKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.defaultPrevented || event.target !== document.body) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") moveTo(activeIndex);
  });
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => onPageKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  const span = isPhone ? 1 : placed.columns.length;
  const menu = (
    <ColumnMenu
      columns={columns}
      state={columnState}
      onChange={setColumnState}
      placed={placed}
      exported={undefined}
    />
  );
  return (
    <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]">
      {lines.height > 0 && (
        <div aria-hidden="true" className="absolute top-0 w-px" style={{ height: lines.height }} />
      )}
      {!isPhone && (
        <div className="sticky top-0 left-0 z-20 flex h-0 justify-end">
          <span className="h-8.5 bg-surface pt-1.5 pr-3 pl-1">{menu}</span>
        </div>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the role makes it interactive */}
      <table
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- its rows are gone through with the keyboard
        role="treegrid"
        aria-label="Log lines"
        aria-rowcount={rows.length + 1}
        aria-multiselectable="true"
        style={isPhone ? undefined : { minWidth: placed.leastWidth }}
        className="w-full table-fixed border-separate border-spacing-0"
        onKeyDown={onKeyDown}
      >
        {!isPhone && (
          <>
            <colgroup>
              {placed.columns.map(({ column, width }) => (
                <col key={column.id} style={{ width }} />
              ))}
            </colgroup>
            <DataTableHeader
              placed={placed}
              sort={null}
              onSort={undefined}
              onResize={(id, width) =>
                setColumnState({ ...columnState, sizes: { ...columnState.sizes, [id]: width } })
              }
              menu={undefined}
            />
          </>
        )}
        {lines.before > 0 && (
          <tbody aria-hidden="true">
            <tr style={{ height: lines.before }} />
          </tbody>
        )}
        {rows.slice(lines.start, lines.end).map((shown, offset) => {
          const index = lines.start + offset;
          const { line } = shown;
          const isOpen = open.has(line.id);
          const isSelected = selected.has(line.id);
          return (
            <tbody key={line.id} ref={lines.measure} data-index={index}>
              <tr
                data-row-id={line.id}
                aria-rowindex={index + 2}
                aria-expanded={isOpen}
                aria-selected={isSelected}
                tabIndex={index === activeIndex ? 0 : -1}
                style={{ height: rowHeight }}
                onFocus={() => setActiveId(line.id)}
                onClick={(event) => {
                  if (event.target instanceof Element && event.target.closest("a,button")) return;
                  if (event.shiftKey) {
                    window.getSelection()?.removeAllRanges();
                    props.onChoose(line.id, true);
                  } else if (window.getSelection()?.isCollapsed !== false) props.onToggle(line.id);
                }}
                className={classNames(
                  "cursor-pointer hover:bg-hover focus-visible:outline-offset-[-2px]",
                  (isSelected || line.id === view.line) && "bg-selected",
                )}
              >
                {isPhone ? (
                  <td
                    className={classNames(
                      "border-b border-l-3 px-3 py-1 align-top",
                      edgeOf(line.level),
                    )}
                  >
                    <span className="flex justify-between gap-2">
                      {renderTime(shown)}
                      <LevelMark level={line.level} />
                    </span>
                    <Message shown={shown} wraps={wraps} clamp="line-clamp-2" />
                  </td>
                ) : (
                  placed.columns.map(({ column }, at) => (
                    <td
                      key={column.id}
                      className={classNames(
                        "overflow-hidden border-b px-2 py-1.5 align-top",
                        at === 0 && "border-l-3 pl-3.5!",
                        at === 0 && edgeOf(line.level),
                      )}
                    >
                      {column.renderCell(shown)}
                    </td>
                  ))
                )}
              </tr>
              {isOpen && (
                <tr>
                  <td colSpan={span} className="border-b p-0">
                    <Suspense
                      fallback={
                        <div className="h-40 overflow-hidden bg-sunken">
                          <SkeletonRows label="loading data..." />
                        </div>
                      }
                    >
                      <Details
                        shown={shown}
                        view={view}
                        source={props.source}
                        onQuery={props.onQuery}
                      />
                    </Suspense>
                  </td>
                </tr>
              )}
            </tbody>
          );
        })}
        {lines.after > 0 && (
          <tbody aria-hidden="true">
            <tr style={{ height: lines.after }} />
          </tbody>
        )}
      </table>
      {props.foot}
    </div>
  );
}
