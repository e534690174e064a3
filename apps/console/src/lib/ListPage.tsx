import { type ReactNode, useRef, useState } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { ListTable, type Selected } from "@mainstay/ui/list-table/ListTable.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { CreateButton } from "./CreateButton.tsx";
import { messageOf } from "./api-error.ts";
import { PageBar, type PageBarProps } from "./PageBar.tsx";
import { useUrlState } from "./url-state.ts";
import { useSearchKey } from "./use-search-key.ts";

export interface ListPageProps<Row extends object> {
  crumbs: PageBarProps["crumbs"];
  /** What is listed, for the table's name and the error: `users`. */
  noun: string;
  query: UseQueryResult<readonly Row[]>;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
  renderPhoneRow: (row: Row) => ReactNode;
  onOpen?: (row: Row) => void;
  /** What the plus button says and does; left out for who may not. */
  create?: { label: string; onCreate: () => void } | undefined;
  /** Text that is searched; a search box appears with it. */
  searchIn?: (row: Row) => string;
  /** With it, rows can be chosen: all that are found, at once. */
  renderBulkActions?: (chosen: readonly Row[]) => ReactNode;
  /** Above everything: where the page is one of several. */
  tabs?: ReactNode;
  /** Beside the search box. */
  filters?: ReactNode;
  empty: ReactNode;
  storageKey: string;
  children?: ReactNode;
}

interface ListView {
  query: string;
  sortBy: string;
  sortOrder: "asc" | "desc";
}

const listCodec = {
  parse: (raw: Record<string, string | undefined>): ListView => ({
    query: raw["query"] ?? "",
    sortBy: raw["sortBy"] ?? "",
    sortOrder: raw["sortOrder"] === "desc" ? "desc" : "asc",
  }),
  format: ({ query, sortBy, sortOrder }: ListView) => ({
    query: query === "" ? undefined : query,
    sortBy: sortBy === "" ? undefined : sortBy,
    sortOrder: sortBy === "" ? undefined : sortOrder,
  }),
};

const noRows: readonly never[] = [];

/** A page that is one list: search, order and refresh; order and search are in the address. */
export function ListPage<Row extends object>(props: ListPageProps<Row>) {
  const { query, columns, create, searchIn, noun } = props;
  const [view, change] = useUrlState(listCodec);
  const [selected, setSelected] = useState<Selected>({});
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field);
  const sort = view.sortBy === "" ? null : { by: view.sortBy, desc: view.sortOrder === "desc" };
  const text = view.query.trim().toLowerCase();
  const rows = query.data ?? noRows;
  const found =
    searchIn && text !== ""
      ? rows.filter((row) => searchIn(row).toLowerCase().includes(text))
      : rows;
  return (
    <>
      <PageBar
        crumbs={props.crumbs}
        actions={create && <CreateButton {...create} />}
        refresh={{
          onRefresh: () => void query.refetch(),
          isRefreshing: query.isFetching,
          updatedAt: query.dataUpdatedAt,
        }}
      />
      {props.tabs}
      {(searchIn ?? props.filters) && (
        <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2">
          {searchIn && (
            <input
              ref={field}
              type="search"
              aria-label={`Search ${noun}`}
              placeholder="Search"
              value={view.query}
              onChange={(event) => change({ query: event.target.value }, { replace: true })}
              className="field w-64 max-tablet:w-full"
            />
          )}
          {props.filters}
        </div>
      )}
      {query.isError && query.data === undefined ? (
        <ErrorDisplay
          title={`The ${noun} could not be loaded`}
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <ListTable
          label={noun}
          columns={columns}
          exportName={props.storageKey}
          rows={found}
          rowId={props.rowId}
          onOpen={props.onOpen}
          renderPhoneRow={props.renderPhoneRow}
          sort={sort}
          onSort={(next) =>
            change({ sortBy: next?.by ?? "", sortOrder: next?.desc === true ? "desc" : "asc" })
          }
          isLoading={query.isPending}
          empty={
            rows.length > 0 ? (
              <EmptyState title="No result">Nothing matches what is searched for.</EmptyState>
            ) : (
              props.empty
            )
          }
          storageKey={props.storageKey}
          {...(props.renderBulkActions && {
            selection: { selected, onChange: setSelected },
            renderBulkActions: props.renderBulkActions,
          })}
        />
      )}
      {props.children}
    </>
  );
}
