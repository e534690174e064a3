import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, Suspense, useRef, useState } from "react";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { DataTable, type DataTableProps } from "@mainstay/ui/data-table/DataTable.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import type { ListTable, Selected } from "@mainstay/ui/list-table/ListTable.tsx";
import { Pagination } from "@mainstay/ui/list-table/Pagination.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { ApiError, messageOf } from "./api-error.ts";
import { PageBar, type PageBarProps } from "./PageBar.tsx";
import { pagedSizes, type PagedView } from "./paged-view.ts";
import { useDebouncedText } from "./use-debounced.ts";
import { useSearchKey } from "./use-search-key.ts";

/** Most lists are only read, and do without what choosing rows takes (decision 5). */
const TableToChooseFrom = lazyPart(
  () => import("@mainstay/ui/list-table/ListTable.tsx").then((module) => module.ListTable),
  // lazy loses the type parameter; the cast gives it back.
) as unknown as typeof ListTable;

const searchMs = 400;
/** Rows that an export holds at most. */
export const mostExported = 10_000;

/** What bulk actions are told. */
export interface ChosenRows {
  /** Also those of pages that are not shown. */
  ids: readonly string[];
  clear: () => void;
}

export interface PagedListProps<Row extends object, SortKey extends string> {
  /** What is listed, for the table's name and the error: `audit log`. */
  noun: string;
  view: PagedView<SortKey>;
  change: (change: Partial<PagedView<SortKey>>, options?: { replace?: boolean }) => void;
  page: UseQueryResult<{ rows: readonly Row[]; total?: number }>;
  /** Rows there are in all, where that is counted apart from the page, which is there before. */
  counted?: number | undefined;
  /** What sorts has the name of its column in the database. */
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
  renderPhoneRow: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  /** The sizes of a page that are offered, where they are not the usual ones. */
  sizes?: readonly number[];
  /** A search box appears with it. */
  search?: { label: string; placeholder: string };
  /** Beside the search box. */
  filters?: ReactNode;
  /** Whether there may be more than what is found. */
  isFiltered: boolean;
  /** What would be here, where nothing is. */
  empty: ReactNode;
  storageKey: string;
  /** All that is found, up to a number: what is exported. */
  loadAll: (limit: number) => Promise<readonly Row[]>;
  /** The rows of the page as they are shown, where some stand above others. */
  tree?: {
    rows: readonly Row[];
    level: (row: Row) => number;
    /** Open or closed for a row with others below it, nothing for any other. */
    isExpanded: (row: Row) => boolean | undefined;
    onToggle: (row: Row) => void;
  };
  /** With it, rows can be chosen. */
  renderBulkActions?: ((chosen: ChosenRows) => ReactNode) | undefined;
  isSelectable?: (row: Row) => boolean;
}

/** A list whose rows the server finds, orders and cuts into pages. */
export function PagedList<Row extends object, SortKey extends string>(
  props: PagedListProps<Row, SortKey>,
) {
  const { noun, view, change, page, columns, rowId, search, renderBulkActions, loadAll } = props;
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  const [typed, setTyped] = useDebouncedText(
    view.query,
    (query) => change({ query, pageIndex: 0 }, { replace: true }),
    searchMs,
  );
  const [selected, setSelected] = useState<Selected>({});
  const { rows, total, isCounting } = extentOf(props);
  const { sortBy, sortDesc } = view;

  const loadExport = async () => {
    const [{ tellCutOff }, all] = await Promise.all([
      import("./tell-cut-off.ts"),
      loadAll(mostExported),
    ]);
    tellCutOff(all, { total: isCounting ? undefined : total, most: mostExported, noun: "rows" });
    return all;
  };

  const table: DataTableProps<Row> = {
    label: noun,
    columns,
    rows,
    rowId,
    ...props.tree,
    ...(props.onOpen && { onOpen: props.onOpen }),
    renderPhoneRow: props.renderPhoneRow,
    sort: sortBy === undefined ? null : { by: sortBy, desc: sortDesc },
    onSort: (sort) =>
      change({
        // Only what the address may name is sorted by.
        sortBy: sort?.by as SortKey | undefined,
        sortDesc: sort?.desc ?? false,
        pageIndex: 0,
      }),
    isLoading: page.isPending,
    storageKey: props.storageKey,
    exportName: props.storageKey,
    loadExport,
    empty:
      total > 0 ? (
        <EmptyState title="No data available">
          There is no such page{!isCounting && `: it ends at ${total.toLocaleString()} rows`}.
        </EmptyState>
      ) : props.isFiltered ? (
        <EmptyState title="No data available">Nothing matches what is searched for.</EmptyState>
      ) : (
        props.empty
      ),
  };

  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {(search ?? props.filters) && (
        <div className="@container shrink-0 border-b">
          <div className="flex flex-wrap items-center gap-2 px-4 py-2">
            {search && (
              <input
                ref={field}
                type="search"
                aria-label={search.label}
                placeholder={search.placeholder}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
                className="field w-72 max-tablet:w-full"
              />
            )}
            {props.filters}
          </div>
        </div>
      )}
      {page.isError && page.data === undefined ? (
        <ErrorDisplay
          title={
            page.error instanceof ApiError && page.error.status === 400
              ? "This search cannot be answered"
              : `The ${noun} could not be loaded`
          }
          message={messageOf(page.error)}
          onRetry={() => void page.refetch()}
        />
      ) : (
        <div
          className={`flex min-h-40 flex-1 flex-col ${page.isPlaceholderData ? "opacity-60" : ""}`}
        >
          {renderBulkActions ? (
            <Suspense fallback={<SkeletonRows label="loading data..." />}>
              <TableToChooseFrom
                {...table}
                isSortedElsewhere
                selection={{ selected, onChange: setSelected }}
                isSelectable={props.isSelectable}
                renderBulkActions={() =>
                  renderBulkActions({ ids: Object.keys(selected), clear: () => setSelected({}) })
                }
              />
            </Suspense>
          ) : (
            <DataTable {...table} />
          )}
          <div className="shrink-0 overflow-x-auto border-t px-4 py-1.5">
            <Pagination
              pageIndex={view.pageIndex}
              pageSize={view.pageSize}
              sizes={props.sizes ?? pagedSizes}
              total={total}
              isCounting={isCounting}
              isLoading={page.isPending}
              onChange={change}
            />
          </div>
        </div>
      )}
    </div>
  );
}

const noRows: readonly never[] = [];

/**
 * How many rows there are, or, until that is known, so many at least: behind a page that is full there may be another. The
 * rows of the page before, which are shown until this one is there, say nothing of it.
 */
function extentOf<Row extends object, SortKey extends string>({
  page: { data, isPlaceholderData },
  view: { pageIndex, pageSize },
  counted,
}: PagedListProps<Row, SortKey>) {
  const rows = data?.rows ?? noRows;
  const begin = pageIndex * pageSize;
  if (!data || data.total !== undefined)
    return { rows, total: data?.total ?? 0, isCounting: false };
  if (isPlaceholderData)
    return { rows, total: counted ?? begin + pageSize + 1, isCounting: counted === undefined };
  const end = begin + rows.length;
  const isLast = rows.length < pageSize && (rows.length > 0 || pageIndex === 0);
  const known = isLast ? end : counted;
  const atLeast = known === undefined && rows.length > 0 ? end + 1 : end;
  return { rows, total: Math.max(known ?? 0, atLeast), isCounting: known === undefined };
}

export interface PagedPageProps<Row extends object, SortKey extends string> extends PagedListProps<
  Row,
  SortKey
> {
  crumbs: PageBarProps["crumbs"];
  /** Above everything: where the page is one of several. */
  tabs?: ReactNode;
  /** Beside the breadcrumb. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A page that is one such list. */
export function PagedPage<Row extends object, SortKey extends string>({
  crumbs,
  tabs,
  actions,
  children,
  ...list
}: PagedPageProps<Row, SortKey>) {
  const { page } = list;
  return (
    <>
      <PageBar
        crumbs={crumbs}
        actions={actions}
        refresh={{
          onRefresh: () => void page.refetch(),
          isRefreshing: page.isFetching,
          updatedAt: page.dataUpdatedAt,
        }}
      />
      {tabs}
      <PagedList {...list} />
      {children}
    </>
  );
}
