import "./places.ts";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { PanelRight } from "lucide-react";
import { Suspense, useMemo } from "react";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { Inspector } from "@mainstay/ui/inspector/Inspector.tsx";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { phoneQuery, useMediaQuery } from "@mainstay/ui/use-media-query.ts";
import { messageOf } from "#lib/api-error.ts";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { guestFailure, LazyGuest } from "#lib/places/LazyGuest.tsx";
import { type OwnTab, PlaceTabs } from "#lib/places/PlaceTabs.tsx";
import { useUrlState } from "#lib/url-state.ts";
import { itemName } from "../shared/ItemLink.tsx";
import { DetailsSkeleton } from "./DetailsSkeleton.tsx";
import { ItemHeader } from "./ItemHeader.tsx";
import { itemTabs } from "./item-tabs.ts";
import { type Item, itemQueries } from "./queries.ts";

const ItemDetails = lazyPart(() =>
  import("./ItemDetails.tsx").then((module) => module.ItemDetails),
);

const number = new Intl.NumberFormat();

/** On a phone the details lie over the page. */
const sheetCodec = {
  parse: (raw: Record<string, string | undefined>) => ({ showsDetails: raw["details"] === "true" }),
  format: ({ showsDetails }: { showsDetails: boolean }) => ({
    details: showsDetails ? "true" : undefined,
  }),
};

const ownTabs = (item: Item | undefined): readonly OwnTab[] =>
  itemTabs.map(({ id, label, count, counted, load }) => ({
    id,
    label,
    badge: item && count && (
      <Badge {...(counted !== undefined && { tooltip: counted })}>
        {number.format(count(item.summary))}
      </Badge>
    ),
    render: () =>
      item && (
        <LazyGuest
          key={id}
          load={load}
          props={{ item }}
          skeleton={<SkeletonRows />}
          renderFailure={guestFailure(label)}
        />
      ),
  }));

/** Everything about one item of the catalog: a tab for each kind of thing, and what it is at the right. */
export function ItemPage() {
  const { itemId = "", tab = "" } = useParams({ strict: false }) as {
    itemId?: string;
    tab?: string;
  };
  const { history } = useRouter();
  const isPhone = useMediaQuery(phoneQuery);
  const query = useQuery(itemQueries.one(itemId));
  const [{ showsDetails }, change] = useUrlState(sheetCodec);
  const item = query.data ?? undefined;
  const given = useMemo(() => item && { item }, [item]);

  const bar = (
    <PageBar
      crumbs={[
        { label: "Catalog", to: paths.catalog() },
        ...(item && !isPhone
          ? [{ label: item.type, to: paths.catalog({ configType: item.type }) }]
          : []),
        { label: item ? itemName(item) : "Item" },
      ]}
      actions={
        item && (
          <IconButton
            label="Details"
            className="tablet:hidden"
            icon={<PanelRight size={16} strokeWidth={1.75} />}
            onClick={() => change({ showsDetails: true })}
          />
        )
      }
      refresh={{
        onRefresh: () => void query.refetch(),
        isRefreshing: query.isFetching,
        updatedAt: query.dataUpdatedAt,
      }}
    />
  );
  if (query.isError && !item)
    return (
      <>
        {bar}
        <ErrorDisplay
          title="The item could not be loaded"
          message={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      </>
    );
  if (query.data === null)
    return (
      <>
        {bar}
        <EmptyState
          title="There is no such item"
          actions={<AppLink to={paths.catalog()}>The catalog</AppLink>}
        >
          It was deleted more than a week ago, or the link is wrong.
        </EmptyState>
      </>
    );
  const [first, ...others] = ownTabs(item);
  return (
    <>
      {bar}
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <ItemHeader item={item} />
          <PlaceTabs
            of="config"
            label="Catalog item"
            given={given}
            own={[first!, ...others]}
            selected={tab}
            onSelect={(id) =>
              history.push(
                id === itemTabs[0].id
                  ? paths.catalogItem(itemId)
                  : paths.catalogItemTab(itemId, id),
              )
            }
          />
        </div>
        <Inspector
          label="Details"
          storageKey="catalog-item"
          isOpen={showsDetails}
          onClose={() => change({ showsDetails: false }, { replace: true })}
        >
          <Suspense fallback={<DetailsSkeleton />}>
            {item ? <ItemDetails item={item} /> : <DetailsSkeleton />}
          </Suspense>
        </Inspector>
      </div>
    </>
  );
}
