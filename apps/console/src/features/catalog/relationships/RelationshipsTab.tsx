import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Suspense, useCallback, useMemo } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { asFileName } from "@mainstay/ui/export/file-name.ts";
import type { GraphLook, GraphNode } from "@mainstay/ui/graph-view/graph.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { ListTable } from "@mainstay/ui/list-table/ListTable.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { messageOf } from "#lib/api-error.ts";
import { paths } from "#lib/paths.ts";
import { type ChangeUrl, useUrlState } from "#lib/url-state.ts";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import { useHideDeleted } from "../shared/hide-deleted.ts";
import { ItemLink, itemName } from "../shared/ItemLink.tsx";
import { relatedColumns } from "./columns.tsx";
import { findRelated, optionsOf, type Related } from "./find-related.ts";
import { type RelatedItem, relationshipQueries } from "./queries.ts";
import { RelationshipsBar } from "./RelationshipsBar.tsx";
import {
  isFiltered,
  reaches,
  relationshipsCodec,
  type RelationshipsView,
  unfiltered,
} from "./relationships-view.ts";
import { toGraph } from "./to-graph.ts";

const GraphView = lazyPart(() =>
  import("@mainstay/ui/graph-view/GraphView.tsx").then((module) => module.GraphView),
);

export interface RelationshipsTabProps {
  item: { id: string; name: string | null };
}

const noRows: readonly RelatedItem[] = [];
const number = new Intl.NumberFormat();

/** What hangs on an item and what it hangs on, as a table or as a graph. */
export function RelationshipsTab({ item }: RelationshipsTabProps) {
  const [view, change] = useUrlState(relationshipsCodec);
  const { outgoing, incoming, soft, reach } = view;
  const hideDeleted = useHideDeleted();
  const query = useQuery(
    relationshipQueries.related({
      itemId: item.id,
      outgoing,
      incoming,
      soft,
      hideDeleted,
      reach,
    }),
  );
  const isAsked = outgoing || incoming;
  const rows = isAsked ? (query.data ?? noRows) : noRows;
  const { configTypes, labels, tags, relationship, status, health } = view;
  const filter = useMemo(
    () => ({ configTypes, labels, tags, relationship, status, health }),
    [configTypes, labels, tags, relationship, status, health],
  );
  const options = useMemo(() => optionsOf(rows, filter), [rows, filter]);
  const related = useMemo(() => findRelated(rows, item.id, filter), [rows, item.id, filter]);
  const isPartial = rows[0]?.is_partial === true;

  const shown = { related, view, change, item };
  return (
    <div className="flex min-h-0 flex-1 flex-col" aria-busy={query.isFetching}>
      <RelationshipsBar view={view} change={change} options={options} />
      {isPartial && <PartialNotice view={view} change={change} count={rows.length} />}
      {!isAsked ? (
        <EmptyState
          title="No relationships are followed"
          actions={<Button onClick={() => change({ outgoing: true })}>Follow outgoing ones</Button>}
        >
          Outgoing and Incoming are both off.
        </EmptyState>
      ) : query.isError && query.data === undefined ? (
        <ErrorDisplay
          title="The relationships could not be loaded"
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : query.isPending ? (
        <SkeletonRows />
      ) : related.found.length === 0 ? (
        <NothingFound view={view} change={change} />
      ) : view.isGraph ? (
        <RelatedAsGraph {...shown} />
      ) : (
        <RelatedAsTable {...shown} />
      )}
      {isAsked && query.data !== undefined && related.found.length > 0 && (
        <p className="m-0 shrink-0 border-t px-4 py-1.5 text-xs text-muted tabular-nums">
          {shownOf(related.found.length, rows.filter(({ id }) => id !== item.id).length)}
          {notShown(view, hideDeleted)}
        </p>
      )}
    </div>
  );
}

const list = new Intl.ListFormat("en-GB");

const counted = (count: number) => `${number.format(count)} ${count === 1 ? "item" : "items"}`;

const shownOf = (found: number, read: number): string =>
  found < read ? `${number.format(found)} of ${counted(read)}` : counted(found);

/** The badge of the tab counts ties of every kind: what the toggles leave out is said. */
function notShown({ outgoing, incoming, soft }: RelationshipsView, hideDeleted: boolean): string {
  const left = [
    ...(outgoing ? [] : ["outgoing"]),
    ...(incoming ? [] : ["incoming"]),
    ...(soft ? [] : ["soft"]),
    ...(hideDeleted ? ["deleted"] : []),
  ];
  return left.length === 0 ? "" : `. Not shown: ${list.format(left)} ones`;
}

interface ShownProps {
  related: Related;
  view: RelationshipsView;
  change: ChangeUrl<RelationshipsView>;
  item: RelationshipsTabProps["item"];
}

function PartialNotice({
  view,
  change,
  count,
}: Pick<ShownProps, "view" | "change"> & { count: number }) {
  const next = reaches.find((reach) => reach > view.reach);
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-b bg-sunken px-4 py-1 text-xs"
    >
      <span>
        The nearest {number.format(count)} items were read, and there are more
        {next === undefined && ": those farther away show theirs on their own pages"}. Filters look
        through what was read.
      </span>
      {next !== undefined && (
        <Button onClick={() => change({ reach: next })}>Read {number.format(next)}</Button>
      )}
    </div>
  );
}

function NothingFound({ view, change }: Pick<ShownProps, "view" | "change">) {
  if (isFiltered(view))
    return (
      <EmptyState
        title="No result"
        actions={<Button onClick={() => change(unfiltered)}>Clear filters</Button>}
      >
        Nothing that hangs on this item matches the filters.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No relationships"
      actions={
        <>
          {!view.incoming && (
            <Button onClick={() => change({ incoming: true })}>Show incoming ones</Button>
          )}
          {!view.soft && <Button onClick={() => change({ soft: true })}>Show soft ones</Button>}
        </>
      }
    >
      What belongs to this item appears here, as its scraper tells it
      {view.incoming && view.soft ? "." : "; there may be relationships of other kinds."}
    </EmptyState>
  );
}

function RelatedAsTable({ related, view, change }: ShownProps) {
  const { history } = useRouter();
  return (
    <ListTable<RelatedItem>
      label="related items"
      columns={relatedColumns}
      rows={related.found}
      rowId={rowId}
      exportName="related-items"
      storageKey="catalog-related"
      onOpen={({ id }) => history.push(paths.catalogItem(id))}
      sort={view.sortBy === "" ? null : { by: view.sortBy, desc: view.sortDesc }}
      onSort={(sort) => change({ sortBy: sort?.by ?? "", sortDesc: sort?.desc === true })}
      renderPhoneRow={(row) => (
        <span className="flex min-w-0 flex-col gap-0.5">
          <ItemLink item={row} />
          <span className="flex min-w-0 items-center gap-3 text-xs">
            <HealthBadge
              className="shrink-0"
              health={row.health}
              status={row.status}
              isDeleted={row.deleted_at !== null}
            />
            <span className="min-w-0 truncate text-muted">{row.type}</span>
          </span>
        </span>
      )}
    />
  );
}

const rowId = ({ id }: RelatedItem) => id;

function RelatedAsGraph({ related, view, change, item }: ShownProps) {
  const { history } = useRouter();
  const { nodes, edges, root } = useMemo(() => toGraph(related, item.id), [related, item.id]);
  const { direction, edgeStyle, toggled, most } = view;
  const look = useMemo(
    () => ({ direction, edgeStyle, toggled, most }),
    [direction, edgeStyle, toggled, most],
  );
  const onLook = useCallback((changes: Partial<GraphLook>) => change(changes), [change]);
  const onOpen = useCallback(
    ({ href }: GraphNode) => {
      if (href !== undefined) history.push(href);
    },
    [history],
  );
  return (
    <Suspense fallback={<SkeletonRows />}>
      <GraphView
        label={`What hangs together with ${itemName(item)}`}
        nodes={nodes}
        edges={edges}
        root={root}
        look={look}
        onLook={onLook}
        onOpen={onOpen}
        pictureName={`relationships-${asFileName(itemName(item))}`}
      />
    </Suspense>
  );
}
