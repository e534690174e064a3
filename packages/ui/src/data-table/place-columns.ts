import type { Column, Side } from "./column.ts";

/** What the reader has made of a table's columns. */
export interface ColumnState {
  hidden: Record<string, boolean>;
  sizes: Record<string, number>;
  pinned: Record<string, boolean>;
  /** Those that are shown in spite of the room: there was none when they were ticked. */
  kept: Record<string, boolean>;
}

export const asDeclared: ColumnState = { hidden: {}, sizes: {}, pinned: {}, kept: {} };

/** A column at its place in the table. */
export interface PlacedColumn<Row> {
  column: Column<Row>;
  /** In pixels; without, it takes what is left. */
  width: number | undefined;
  /** How narrow it becomes before the table scrolls sideways, where it is no wider than that. */
  least?: number;
  /** Where it stays in view, and how far from that edge. */
  pin?: { side: Side; offset: number; isInnermost: boolean };
}

export interface PlacedColumns<Row> {
  columns: readonly PlacedColumn<Row>[];
  /** Narrower, the table scrolls sideways instead of squeezing the column that takes what is left. */
  leastWidth: number;
  /** Narrower, the columns that can become narrower do. */
  fullWidth: number;
  hasPinned: boolean;
  /** Every column has a width: what is left over stays empty, so that those that stay in view stand where they should. */
  hasFiller: boolean;
}

const flexibleMin = 200;

export const isHidden = <Row>(column: Column<Row>, { hidden }: Pick<ColumnState, "hidden">) =>
  hidden[column.id] ?? column.startsHidden ?? false;

/** The ids of the columns that are shown and could be hidden. */
export const shownIds = <Row>(
  columns: readonly Column<Row>[],
  state: Pick<ColumnState, "hidden">,
): string[] =>
  columns
    .filter((column) => column.hideable !== false && !isHidden(column, state))
    .map(({ id }) => id);

/** The state in which just these columns are shown, of those that can be hidden. */
export const showingOnly = <Row>(
  columns: readonly Column<Row>[],
  state: ColumnState,
  ids: readonly string[],
): ColumnState => ({
  ...state,
  hidden: Object.fromEntries(
    columns.flatMap(({ id, hideable, startsHidden }): [string, boolean][] => {
      if (hideable === false) return [];
      if (!ids.includes(id)) return [[id, true]];
      return startsHidden ? [[id, false]] : [];
    }),
  ),
});

/** Where a column stays in view: as the reader said, or as declared. */
export function sideOf<Row>(column: Column<Row>, { pinned }: ColumnState): Side | undefined {
  return (pinned[column.id] ?? column.pinned !== undefined)
    ? (column.pinned ?? "start")
    : undefined;
}

const fullWidthOf = <Row>(column: Column<Row>, { sizes }: ColumnState) =>
  sizes[column.id] ?? column.width ?? column.minWidth ?? flexibleMin;

/** What the reader has made as wide as it is stays so, and what stays in view has its place. */
const leastWidthOf = <Row>(column: Column<Row>, state: ColumnState) =>
  state.sizes[column.id] === undefined && sideOf(column, state) === undefined
    ? Math.min(fullWidthOf(column, state), column.minWidth ?? Infinity)
    : fullWidthOf(column, state);

/**
 * The ids of the columns that leave where a table is so wide. What the reader keeps in spite of the room or in view or
 * has made as wide as it is stays, and what is sorted by.
 */
export function columnsWithoutRoom<Row>(
  columns: readonly Column<Row>[],
  state: ColumnState,
  room: number,
  sortedBy?: string,
): string[] {
  const stays = ({ id, dropOrder }: Column<Row>) =>
    !dropOrder ||
    id === sortedBy ||
    state.kept[id] ||
    state.sizes[id] !== undefined ||
    state.pinned[id];
  const kept = columns.filter((column) => !isHidden(column, state));
  let lacking = kept.reduce((total, column) => total + leastWidthOf(column, state), -room);
  const leaving = kept.toSorted((one, other) => (one.dropOrder ?? 0) - (other.dropOrder ?? 0));
  const without: string[] = [];
  for (const column of leaving) {
    if (lacking <= 0) break;
    if (stays(column)) continue;
    lacking -= leastWidthOf(column, state);
    without.push(column.id);
  }
  return without;
}

/**
 * The state in which a column that was just ticked is shown, also where there is no room for it: ticking it would do nothing.
 * One that has room leaves again where there is none, as it does for who has chosen nothing.
 */
export function withTicked<Row>(
  columns: readonly Column<Row>[],
  state: ColumnState,
  ticked: string,
  room: number,
  sortedBy?: string,
): ColumnState {
  return columnsWithoutRoom(columns, state, room, sortedBy).includes(ticked)
    ? { ...state, kept: { ...state.kept, [ticked]: true } }
    : state;
}

/** The columns that are shown, in order: those that stay in view at their edges, with their places. */
export function placeColumns<Row>(
  columns: readonly Column<Row>[],
  state: ColumnState,
  selectionWidth: number,
): PlacedColumns<Row> {
  const kept = columns.filter((column) => !isHidden(column, state));
  const at = (side: Side | undefined) => kept.filter((column) => sideOf(column, state) === side);
  const [start, middle, end] = [at("start"), at(undefined), at("end")];
  const hasPinned = start.length > 0 || end.length > 0;
  const pin = (side: Side, members: readonly Column<Row>[]): PlacedColumn<Row>[] => {
    let offset = side === "start" ? selectionWidth : 0;
    return members.map((column, index) => {
      const width = fullWidthOf(column, state);
      const placed = {
        column,
        width,
        pin: { side, offset, isInnermost: index === members.length - 1 },
      };
      offset += width;
      return placed;
    });
  };
  const free = middle.map((column): PlacedColumn<Row> => ({
    column,
    width: state.sizes[column.id] ?? column.width,
    ...(leastWidthOf(column, state) < fullWidthOf(column, state) && {
      least: leastWidthOf(column, state),
    }),
  }));
  const sum = (widthOf: typeof fullWidthOf) =>
    kept.reduce((total, column) => total + widthOf(column, state), selectionWidth);
  return {
    columns: [...pin("start", start), ...free, ...pin("end", end.toReversed()).toReversed()],
    leastWidth: sum(leastWidthOf),
    fullWidth: sum(fullWidthOf),
    hasPinned,
    hasFiller: hasPinned && free.every(({ width }) => width !== undefined),
  };
}

/** As a style has it: a column that can become narrower gives its share of what its table lacks. */
export function cssWidth<Row>(
  { width, least }: PlacedColumn<Row>,
  { fullWidth, leastWidth }: Pick<PlacedColumns<Row>, "fullWidth" | "leastWidth">,
): number | string | undefined {
  if (least === undefined || width === undefined) return width;
  const share = (width - least) / (fullWidth - leastWidth);
  return `clamp(${least}px, ${width}px - (${fullWidth}px - 100cqw) * ${share}, ${width}px)`;
}
