import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, Suspense, useMemo } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { DataTable } from "@mainstay/ui/data-table/DataTable.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { ApiError, messageOf } from "#lib/api-error.ts";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import type { ChangeUrl } from "#lib/url-state.ts";
import { useAccess } from "#lib/use-access.ts";
import { type CatalogRow, groupedItemRows, summaryRows, toggledGroup } from "./catalog-rows.ts";
import {
  type CatalogView,
  groupSortKeys,
  isFiltered,
  itemSortKeys,
  layoutOf,
  unfiltered,
} from "./catalog-view.ts";
import { CatalogPreferences } from "./CatalogPreferences.tsx";
import { catalogColumns, PhoneRow } from "./columns.tsx";
import { askedOf, itemQueries } from "./queries.ts";
import { useItemWindows } from "./use-item-windows.ts";

const EmptyCatalog = lazyPart(() =>
  import("./empty/EmptyCatalog.tsx").then((module) => module.EmptyCatalog),
);

/** Document 2, section 2. */
const rowSize = { height: 37, overscan: 20 };
/** What is grouped in the browser is read whole. */
const mostGrouped = 5_000;
const mostExported = 10_000;

export interface CatalogTableProps {
  view: CatalogView;
  change: ChangeUrl<CatalogView>;
  hideDeleted: boolean;
  /** By which an index finds items. */
  tagKeys: ReadonlySet<string>;
  /** It is not known yet what is to be shown. */
  isUndecided: boolean;
}

/** Where the reader's columns are kept. */
export const catalogColumnsKey = (layout: ReturnType<typeof layoutOf>) => `catalog.${layout}`;

interface FrameProps extends Pick<CatalogTableProps, "view" | "change"> {
  rows: readonly CatalogRow[];
  isLoading: boolean;
  /** What is shown is of another question. */
  isOld?: boolean;
  error: Error | null;
  refresh: { onRefresh: () => void; isRefreshing: boolean; updatedAt: number };
  /** How many items there are. */
  total: number | undefined;
  loadExport?: () => Promise<readonly CatalogRow[]>;
  onDrawn?: (start: number, end: number) => void;
  notice?: ReactNode;
}

const nothing: readonly CatalogRow[] = [];

const isRefused = (error: Error) => error instanceof ApiError && error.status === 400;
/** The database took too long. */
const isCutOff = (error: Error) => error instanceof ApiError && error.status === 504;

/** The one table of the catalog, whatever its rows are. */
function Frame(props: FrameProps) {
  const { view, change, rows, error, total, refresh, notice } = props;
  const { history } = useRouter();
  const hasCosts = useAccess().isOn("config.cost");
  const layout = layoutOf(view);
  const isOfOneType = view.configType !== undefined;
  const columns = useMemo(
    () => catalogColumns({ layout, hasCosts, isOfOneType }),
    [layout, hasCosts, isOfOneType],
  );
  const sortKeys: readonly string[] = layout === "summary" ? groupSortKeys : itemSortKeys;
  const isSorted = view.sortBy !== undefined && sortKeys.includes(view.sortBy);
  return (
    <>
      <PageBar crumbs={[{ label: "Catalog" }]} actions={<CatalogPreferences />} refresh={refresh} />
      {error && rows.length === 0 ? (
        <ErrorDisplay
          title={
            isRefused(error) ? "This search cannot be answered" : "The catalog could not be loaded"
          }
          message={`${messageOf(error)}${
            isCutOff(error) && view.search.trim() !== ""
              ? " Add a type, a tag or a word to the search."
              : ""
          }`}
          onRetry={refresh.onRefresh}
        />
      ) : (
        <>
          {error && (
            <p
              role="alert"
              className="m-0 shrink-0 border-b bg-warning-bg px-4 py-1.5 text-sm text-warning-fg"
            >
              Some of this could not be loaded: {messageOf(error)}{" "}
              <Button kind="quiet" onClick={refresh.onRefresh}>
                Retry
              </Button>
            </p>
          )}
          {notice}
          <div
            className={`flex min-h-40 flex-1 flex-col ${props.isOld === true ? "opacity-60" : ""}`}
          >
            <DataTable
              label="catalog"
              columns={columns}
              rows={rows}
              rowId={({ id }) => id}
              {...(layout !== "list" && {
                level: ({ level }: CatalogRow) => level,
                isExpanded: (row: CatalogRow) => (row.kind === "group" ? row.isOpen : undefined),
                onToggle: (row: CatalogRow) => {
                  if (row.kind === "group")
                    change({ expanded: toggledGroup(view.expanded, row) }, { replace: true });
                },
              })}
              onOpen={(row) => {
                if (row.kind === "item") history.push(paths.catalogItem(row.item.id));
                if (row.kind === "group" && row.leads)
                  change({
                    ...row.leads,
                    groupBy: usualGroupBy,
                    expanded: new Map(),
                    // Items have other columns than groups.
                    columns: undefined,
                    ...(view.sortBy !== undefined &&
                      !itemSortKeys.some((key) => key === view.sortBy) && { sortBy: undefined }),
                  });
              }}
              renderPhoneRow={(row) => <PhoneRow row={row} />}
              sort={isSorted ? { by: view.sortBy!, desc: view.sortDesc } : null}
              onSort={(sort) =>
                change({
                  sortBy: groupSortKeys.find((key) => key === sort?.by),
                  sortDesc: sort?.desc ?? false,
                })
              }
              isLoading={props.isLoading}
              storageKey={catalogColumnsKey(layout)}
              shown={{
                ids: view.columns,
                onChange: (ids) => change({ columns: ids }, { replace: true }),
              }}
              exportName="catalog"
              loadExport={props.loadExport}
              rowSize={rowSize}
              onDrawn={props.onDrawn}
              empty={
                props.isLoading ? null : isFiltered(view) ? (
                  <EmptyState
                    title="No result"
                    actions={<Button onClick={() => change(unfiltered)}>Clear filters</Button>}
                  >
                    No item of the catalog matches the search and the filters.
                  </EmptyState>
                ) : (
                  <Suspense>
                    <EmptyCatalog />
                  </Suspense>
                )
              }
            />
          </div>
          {total !== undefined && total > 0 && (
            <p role="status" className="m-0 shrink-0 border-t px-4 py-1.5 text-xs text-muted">
              {total.toLocaleString()} {total === 1 ? "item" : "items"}
            </p>
          )}
        </>
      )}
    </>
  );
}
const usualGroupBy: CatalogView["groupBy"] = [{ of: "config_class" }, { of: "type" }];

const refreshOf = (
  ...queries: readonly { refetch: () => unknown; isFetching: boolean; dataUpdatedAt: number }[]
) => ({
  onRefresh: () => {
    for (const query of queries) void query.refetch();
  },
  isRefreshing: queries.some(({ isFetching }) => isFetching),
  updatedAt: Math.max(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt)),
});

/** What there is, in numbers: without a type and a search. */
export function Summary({ view, change, hideDeleted, isUndecided }: CatalogTableProps) {
  const { labels, status, health } = view;
  const summary = useQuery({
    ...itemQueries.summary(view.groupBy, { labels, status, health, hideDeleted }),
    enabled: !isUndecided,
  });
  const groups = summary.data;
  const rows = useMemo(() => (groups ? summaryRows(groups, view) : nothing), [groups, view]);
  return (
    <Frame
      view={view}
      change={change}
      rows={rows}
      isLoading={summary.isPending}
      isOld={summary.isPlaceholderData}
      error={summary.error}
      refresh={refreshOf(summary)}
      total={groups?.reduce((sum, { count }) => sum + count, 0)}
    />
  );
}

const Notice = ({ children }: { children: ReactNode }) => (
  <p role="status" className="m-0 shrink-0 border-b bg-info-bg px-4 py-1.5 text-sm text-info-fg">
    {children}
  </p>
);

const asRow = (item: Parameters<typeof groupedItemRows>[0][number]): CatalogRow => ({
  kind: "item",
  id: item.id,
  level: 1,
  item,
});

/** Items one by one, of which only those are read that are seen. */
export function ItemList({ view, change, hideDeleted, tagKeys }: CatalogTableProps) {
  const asked = useMemo(() => askedOf(view, hideDeleted, tagKeys), [view, hideDeleted, tagKeys]);
  const count = useQuery(itemQueries.count(asked));
  // How many another question had says nothing of this one.
  const windows = useItemWindows(asked, count.isPlaceholderData ? undefined : count.data);
  const { total } = windows;
  const loadExport = async () => {
    const [{ tellCutOff }, items] = await Promise.all([
      import("#lib/tell-cut-off.ts"),
      itemQueries.exported(asked, mostExported),
    ]);
    tellCutOff(items, { total, most: mostExported, noun: "items" });
    return items.map(asRow);
  };
  return (
    <Frame
      view={view}
      change={change}
      rows={windows.rows}
      isLoading={!windows.hasRows && windows.rows.length === 0 && total !== 0}
      error={windows.error}
      refresh={{
        onRefresh: () => {
          void count.refetch();
          windows.refetch();
        },
        isRefreshing: count.isFetching || windows.isFetching,
        updatedAt: windows.updatedAt,
      }}
      total={total}
      notice={
        count.error && total === undefined && windows.rows.length > 0 ? (
          <Notice>
            More follow as you scroll. How many there are could not be counted:{" "}
            {messageOf(count.error)}
          </Notice>
        ) : undefined
      }
      loadExport={loadExport}
      onDrawn={windows.onDrawn}
    />
  );
}

/** Items under what they have in common. */
export function ItemGroups({ view, change, hideDeleted, tagKeys }: CatalogTableProps) {
  const asked = useMemo(() => askedOf(view, hideDeleted, tagKeys), [view, hideDeleted, tagKeys]);
  const count = useQuery(itemQueries.count(asked));
  const items = useQuery(itemQueries.all(asked, mostGrouped));
  const { data } = items;
  const rows = useMemo(() => (data ? groupedItemRows(data, view) : nothing), [data, view]);
  const total = count.data;
  return (
    <Frame
      view={view}
      change={change}
      rows={rows}
      isLoading={items.isPending}
      isOld={items.isPlaceholderData}
      error={items.error}
      refresh={refreshOf(items, count)}
      total={total}
      notice={
        (total ?? data?.length ?? 0) >= mostGrouped && total !== mostGrouped ? (
          <Notice>
            Only the first {mostGrouped.toLocaleString()}{" "}
            {total !== undefined && `of ${total.toLocaleString()} `}items are grouped. Choose a
            type, search or filter for fewer, or group by provider, type or a tag, which counts them
            all.
          </Notice>
        ) : count.error ? (
          <Notice>How many there are could not be counted: {messageOf(count.error)}</Notice>
        ) : undefined
      }
    />
  );
}
