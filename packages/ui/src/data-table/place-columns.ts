import type { Column, Side } from "./column.ts";

/** What the reader has made of a table's columns. */
export interface ColumnState {
  hidden: Record<string, boolean>;
  sizes: Record<string, number>;
  pinned: Record<string, boolean>;
}

export const asDeclared: ColumnState = { hidden: {}, sizes: {}, pinned: {} };

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
    columns.flatMap(({ id, hideable }) => (hideable === false ? [] : [[id, !ids.includes(id)]])),
  ),
});

/** Where a column stays in view: as the reader said, or as declared. */
export function sideOf<Row>(column: Column<Row>, { pinned }: ColumnState): Side | undefined {
  return (pinned[column.id] ?? column.pinned !== undefined)
    ? (column.pinned ?? "start")
    : undefined;
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
  const full = (column: Column<Row>) =>
    state.sizes[column.id] ?? column.width ?? column.minWidth ?? flexibleMin;
  /** What the reader has made as wide as it is stays so, and what stays in view has its place. */
  const least = (column: Column<Row>) =>
    state.sizes[column.id] === undefined && sideOf(column, state) === undefined
      ? Math.min(full(column), column.minWidth ?? Infinity)
      : full(column);
  const pin = (side: Side, members: readonly Column<Row>[]): PlacedColumn<Row>[] => {
    let offset = side === "start" ? selectionWidth : 0;
    return members.map((column, index) => {
      const width = full(column);
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
    ...(least(column) < full(column) && { least: least(column) }),
  }));
  const sum = (widthOf: (column: Column<Row>) => number) =>
    kept.reduce((total, column) => total + widthOf(column), selectionWidth);
  return {
    columns: [...pin("start", start), ...free, ...pin("end", end.toReversed()).toReversed()],
    leastWidth: sum(least),
    fullWidth: sum(full),
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
