import type { KeyboardEvent, ReactNode } from "react";
import {
  type ComponentType,
  Suspense,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { useDensity } from "../density.ts";
import { EmptyState } from "../EmptyState.tsx";
import { lazyPart } from "../lazy-part.tsx";
import { SkeletonRows } from "../Skeletons.tsx";
import { phoneQuery, useMediaQuery } from "../use-media-query.ts";
import { useWindow } from "./use-window.ts";
import { ColumnMenu } from "./ColumnMenu.tsx";
import { DataTableHeader } from "./DataTableHeader.tsx";
import { DataTableRow } from "./DataTableRow.tsx";
import type { Column, Sort } from "./column.ts";
import type { PhoneTableBarProps } from "../list-table/PhoneTableBar.tsx";
import {
  type ColumnState,
  columnsWithoutRoom,
  cssWidth,
  placeColumns,
  showingOnly,
  shownIds,
  withTicked,
} from "./place-columns.ts";
import { SelectionBox } from "./SelectionCell.tsx";
import { useColumnState } from "./use-column-state.ts";
import { useRoom } from "./use-room.ts";

/** Document 1, section 2. */
const comfortableHeight = 35;
const compactHeight = 28;
const headerHeight = 35;
const phoneRowHeight = 56;
const phoneBarHeight = 40;
const overscan = 10;

const takesKeys = "input, textarea, select, [contenteditable], tr";

/** Whether a key pressed there is meant for the table: nothing has the keyboard, or something of the dialog around it. */
const isMeantFor = (table: Element | null, target: EventTarget | null) =>
  target === document.body ||
  (target instanceof Element &&
    !target.matches(takesKeys) &&
    target.closest("[role=dialog]")?.contains(table) === true);

/** What a table is told of the choosing of its rows. */
export interface RowChoice<Row> {
  /** Nothing for a row that cannot be chosen. */
  isSelected: (row: Row) => boolean | undefined;
  /** With shift, all rows between the last one and this one. */
  onSelect: (row: Row, withShift: boolean) => void;
  /** How many of all rows are. */
  state: "all" | "some" | "none";
  onSelectAll: () => void;
}

export interface DataTableProps<Row extends object> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** 1 for a row at the top, 2 for a row of a group. */
  level?: (row: Row) => number;
  /** Open or closed for a group row, nothing for any other. */
  isExpanded?: (row: Row) => boolean | undefined;
  onToggle?: (row: Row) => void;
  onOpen?: (row: Row) => void;
  /** A row on a phone: two lines in place of the columns. */
  renderPhoneRow: (row: Row) => ReactNode;
  sort?: Sort | null;
  onSort?: (sort: Sort | null) => void;
  isLoading?: boolean;
  empty?: ReactNode;
  /** Where the reader's column widths and choices are kept. */
  storageKey?: string;
  /** The columns that an address names, in place of those that the reader has chosen; told when the reader chooses others. */
  shown?: { ids: readonly string[] | undefined; onChange: (ids: readonly string[]) => void };
  /** A table on phones too, scrolled sideways: where what its columns hold cannot be said in two lines. */
  isTableOnPhone?: boolean;
  /** The menu stands beside the header of the first column, where the last ones are scrolled to and must be read. */
  menuStandsFirst?: boolean;
  /** Lets rows be chosen. */
  choice?: RowChoice<Row> | undefined;
  /** The name, without its ending, of the file that what is shown is exported to. */
  exportName?: string | undefined;
  /** The rows to export where only some of them are here. */
  loadExport?: (() => Promise<readonly Row[]>) | undefined;
  /** Told when the last row is drawn, once for each number of rows. */
  onEndReached?: ((loaded: number) => void) | undefined;
  /** How high rows are where they are not compact, and how many are drawn beyond each edge; of most tables the same. */
  rowSize?: { height: number; overscan: number };
  /** Told which rows are drawn, where only those need to be here. */
  onDrawn?: ((start: number, end: number) => void) | undefined;
}

const selectionWidth = 36;

const LazyPhoneBar = lazyPart(() =>
  import("../list-table/PhoneTableBar.tsx").then((module) => module.PhoneTableBar),
);
/** Only phones fetch it; its place is kept until it is there. */
function PhoneBar<Row>(props: PhoneTableBarProps<Row>) {
  // lazy loses the type parameter; the cast gives it back.
  const Own = LazyPhoneBar as unknown as ComponentType<PhoneTableBarProps<Row>>;
  return (
    <Suspense fallback={<div className="h-10 border-b" />}>
      <Own {...props} />
    </Suspense>
  );
}

/**
 * A list with a sticky header whose rows are drawn only while they are on the screen. They are equally high, unless a
 * column wraps.
 * Sorting and grouping are the caller's: it hands over the rows in the order in which they are shown.
 */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowId,
    level,
    isExpanded,
    onToggle,
    onOpen,
    isLoading = false,
    choice,
  } = props;
  const isPhone = useMediaQuery(phoneQuery) && props.isTableOnPhone !== true;
  const { rowSize } = props;
  const tableHeight =
    useDensity() === "compact" ? compactHeight : (rowSize?.height ?? comfortableHeight);
  const rowHeight = isPhone ? phoneRowHeight : tableHeight;
  const [ownState, setOwnState] = useColumnState(props.storageKey);
  const { shown } = props;
  const namedIds = shown?.ids;
  const [keptOfNamed, setKeptOfNamed] = useState(ownState.kept);
  const columnState = useMemo(
    () =>
      namedIds ? { ...showingOnly(columns, ownState, namedIds), kept: keptOfNamed } : ownState,
    [columns, ownState, namedIds, keptOfNamed],
  );
  const hasChoice = choice !== undefined;
  const choiceWidth = hasChoice ? selectionWidth : 0;
  const [scroller, room, measureRoom] = useRoom();
  const roomOfColumns = isPhone ? Infinity : room - choiceWidth;
  const sortedBy = props.sort?.by;
  const withoutRoom = columnsWithoutRoom(columns, columnState, roomOfColumns, sortedBy).join();
  const setColumnState = (chosen: ColumnState, ticked?: string) => {
    const next =
      ticked === undefined ? chosen : withTicked(columns, chosen, ticked, roomOfColumns, sortedBy);
    if (!shown || !namedIds) return setOwnState(next);
    // What the address says is for whoever opens it; which columns the reader has chosen stays.
    setOwnState({ ...next, hidden: ownState.hidden, kept: ownState.kept });
    setKeptOfNamed(next.kept);
    if (next.hidden !== columnState.hidden) shown.onChange(shownIds(columns, next));
  };
  const [activeId, setActiveId] = useState<string | null>(null);
  /** The row that is to have the keyboard as soon as it is drawn. */
  const wanted = useRef<string | null>(null);

  // The rows keep it, so that scrolling does not draw again those that stay.
  const placed = useMemo(() => {
    const left = withoutRoom.split(",");
    const roomy = columns.filter(({ id }) => !left.includes(id));
    return placeColumns(roomy, columnState, choiceWidth);
  }, [columns, columnState, choiceWidth, withoutRoom]);
  const shownColumns = isPhone ? [] : placed.columns;
  const { exportName, loadExport, onSort } = props;
  const hasPhoneBar =
    isPhone &&
    (hasChoice ||
      exportName !== undefined ||
      (onSort !== undefined && columns.some((column) => column.sortable)));

  const isMeasured = shownColumns.some(({ column }) => column.wraps);
  const lineKey = useCallback(
    (index: number) => {
      const row = rows[index];
      return row ? rowId(row) : String(index);
    },
    [rows, rowId],
  );
  const lines = useWindow(scroller, {
    count: rows.length,
    lineHeight: rowHeight,
    overscan: rowSize?.overscan ?? overscan,
    headerHeight: isPhone ? (hasPhoneBar ? phoneBarHeight : 0) : headerHeight,
    isGrowing: props.onEndReached !== undefined,
    lineKey: isMeasured ? lineKey : undefined,
  });

  const select = useEffectEvent((row: Row, withShift: boolean) => choice?.onSelect(row, withShift));
  // The rows keep this function, so that choosing one does not draw the others again.
  const [onSelect] = useState(() => (row: Row, withShift: boolean) => select(row, withShift));

  const reached = lines.end >= rows.length ? rows.length : 0;
  const tellEnd = useEffectEvent((loaded: number) => props.onEndReached?.(loaded));
  useEffect(() => {
    if (reached > 0) tellEnd(reached);
  }, [reached]);

  const tellDrawn = useEffectEvent((start: number, end: number) => props.onDrawn?.(start, end));
  useEffect(() => tellDrawn(lines.start, lines.end), [lines.start, lines.end]);

  const activeIndex =
    activeId === null
      ? 0
      : Math.max(
          0,
          rows.findIndex((row) => rowId(row) === activeId),
        );

  useEffect(() => {
    // An effect of an earlier drawing may come after the next key, and must not take the keyboard back.
    if (activeId === null || wanted.current !== activeId) return;
    const row = scroller.current?.querySelector<HTMLElement>(
      `tr[data-row-id="${CSS.escape(activeId)}"]`,
    );
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });

  const moveTo = (index: number) => {
    const target = Math.min(rows.length - 1, Math.max(0, index));
    const row = rows[target];
    if (!row) return;
    wanted.current = rowId(row);
    setActiveId(rowId(row));
    lines.scrollTo(target);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const isOnRow = event.target instanceof HTMLElement && event.target.matches("tr");
    if (isOnRow && choice && event.key === "a" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      choice.onSelectAll();
      return;
    }
    if (!isOnRow || event.metaKey || event.ctrlKey || event.altKey) return;
    const row = rows[activeIndex];
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const expanded = row && isExpanded?.(row);
    const moves: Record<string, () => void> = {
      ArrowDown: () => moveTo(activeIndex + 1),
      j: () => moveTo(activeIndex + 1),
      ArrowUp: () => moveTo(activeIndex - 1),
      k: () => moveTo(activeIndex - 1),
      PageDown: () => moveTo(activeIndex + page),
      PageUp: () => moveTo(activeIndex - page),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      ArrowRight: () => row && expanded === false && onToggle?.(row),
      ArrowLeft: () => row && expanded === true && onToggle?.(row),
      Enter: () => row && (expanded === undefined ? onOpen?.(row) : onToggle?.(row)),
    };
    if (row && choice?.isSelected(row) !== undefined) {
      moves[" "] = () => choice.onSelect(row, event.shiftKey);
    }
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  };

  // j and k reach the list from anywhere that does not take text.
  const onPageKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.defaultPrevented || !isMeantFor(scroller.current, event.target)) return;
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") moveTo(activeIndex);
  });
  useEffect(() => {
    document.addEventListener("keydown", onPageKey);
    return () => document.removeEventListener("keydown", onPageKey);
  }, []);

  if (isLoading && rows.length === 0) {
    return (
      <div ref={measureRoom} className="min-h-0 flex-1 overflow-hidden">
        <SkeletonRows label="loading data..." />
      </div>
    );
  }

  const columnCount =
    Math.max(1, shownColumns.length) + (hasChoice ? 1 : 0) + (placed.hasFiller ? 1 : 0);
  const exported =
    exportName === undefined
      ? undefined
      : {
          name: exportName,
          // Also those that have no room.
          columns: () => placeColumns(columns, columnState, 0).columns.map(({ column }) => column),
          // The heads of groups are no records.
          loadRows: loadExport ?? (() => rows.filter((row) => isExpanded?.(row) === undefined)),
        };
  // In a header that may be hidden it would close with that.
  const menuStandsFirst =
    props.menuStandsFirst === true || shownColumns[0]?.column.hideHeader === true;
  const menu = !isPhone && (
    <ColumnMenu
      columns={columns}
      state={columnState}
      placed={placed}
      onChange={setColumnState}
      exported={exported}
    />
  );
  const selectAll = choice && (
    <SelectionBox label="Select all rows" state={choice.state} onToggle={choice.onSelectAll} />
  );

  return (
    <div
      ref={measureRoom}
      className="@container relative min-h-0 flex-1 overflow-auto [overflow-anchor:none]"
    >
      {/* Removing the row that has the keyboard makes the browser lay out a table of which half is exchanged: the scroller
          must be no shorter then, or it is scrolled back. */}
      {lines.height > 0 && (
        <div aria-hidden="true" className="absolute top-0 w-px" style={{ height: lines.height }} />
      )}
      {!isPhone && !menuStandsFirst && (
        <div className="sticky top-0 left-0 z-20 flex h-0 justify-end">
          <span className="h-8.5 bg-surface pt-1.5 pr-3 pl-1">{menu}</span>
        </div>
      )}
      {hasPhoneBar && (
        <PhoneBar
          columns={columns}
          sort={props.sort ?? null}
          onSort={onSort}
          selectAll={selectAll}
          exported={exported}
        />
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the role makes it interactive */}
      <table
        role={isExpanded ? "treegrid" : "grid"}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-busy={isLoading}
        aria-multiselectable={hasChoice ? true : undefined}
        style={isPhone ? undefined : { minWidth: placed.leastWidth }}
        className="w-full table-fixed border-separate border-spacing-0"
        onKeyDown={onKeyDown}
      >
        {isPhone && hasChoice && (
          <colgroup>
            <col style={{ width: selectionWidth }} />
            <col />
          </colgroup>
        )}
        {!isPhone && (
          <>
            <colgroup>
              {hasChoice && <col style={{ width: selectionWidth }} />}
              {shownColumns.map((one) => (
                <col key={one.column.id} style={{ width: cssWidth(one, placed) }} />
              ))}
              {placed.hasFiller && <col />}
            </colgroup>
            <DataTableHeader
              placed={placed}
              sort={props.sort ?? null}
              onSort={onSort}
              onResize={(id, width) =>
                setColumnState({ ...columnState, sizes: { ...columnState.sizes, [id]: width } })
              }
              menu={menuStandsFirst ? menu : undefined}
              selectAll={selectAll}
            />
          </>
        )}
        {/* Buttons in rows may not make them higher than the window of rows counts on. */}
        <tbody className={isPhone ? undefined : "in-data-[density=compact]:[&_button]:h-6"}>
          {lines.before > 0 && <tr aria-hidden="true" style={{ height: lines.before }} />}
          {rows.slice(lines.start, lines.end).map((row, offset) => {
            const index = lines.start + offset;
            const id = rowId(row);
            return (
              <DataTableRow
                key={id}
                id={id}
                row={row}
                index={index}
                height={rowHeight}
                placed={placed}
                renderPhoneRow={isPhone ? props.renderPhoneRow : undefined}
                level={level?.(row)}
                expanded={isExpanded?.(row)}
                isActive={index === activeIndex}
                hasSelection={hasChoice}
                isSelected={choice?.isSelected(row)}
                onSelect={onSelect}
                onActivate={setActiveId}
                onOpen={onOpen}
                onToggle={onToggle}
                measure={isMeasured ? lines.measure : undefined}
              />
            );
          })}
          {lines.after > 0 && <tr aria-hidden="true" style={{ height: lines.after }} />}
          {rows.length === 0 && (
            <tr>
              <td colSpan={columnCount}>
                {/* In the middle of what is seen, where the columns need more. */}
                <div className="sticky left-0 w-[100cqw]">
                  {props.empty ?? <EmptyState title="No data available" />}
                </div>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
