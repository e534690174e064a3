import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useDefaultView } from "#lib/saved-views/use-default-view.ts";
import { useUrlState } from "#lib/url-state.ts";
import { CatalogTabs } from "../shared/CatalogTabs.tsx";
import { useHideDeleted } from "../shared/hide-deleted.ts";
import { catalogCodec, layoutOf } from "./catalog-view.ts";
import { CatalogFilters } from "./CatalogFilters.tsx";
import { ItemGroups, ItemList, Summary } from "./CatalogTable.tsx";
import { itemQueries } from "./queries.ts";
import { catalogViews } from "./saved-views.ts";

const none: readonly string[] = [];
const layouts = { summary: Summary, list: ItemList, groups: ItemGroups };

/** /catalog: what there is, in numbers by default; items one by one where a type or a text is searched. */
export function CatalogPage() {
  const [view, change] = useUrlState(catalogCodec);
  const hideDeleted = useHideDeleted();
  const tags = useQuery(itemQueries.tagKeys());
  const tagKeys = tags.data ?? none;
  const keySet = useMemo(() => new Set(tagKeys), [tagKeys]);
  const isUndecided = useDefaultView(catalogViews);
  const Layout = layouts[layoutOf(view)];
  return (
    <>
      <CatalogTabs selected="catalog" />
      <CatalogFilters view={view} change={change} tagKeys={tagKeys} />
      <Layout
        view={view}
        change={change}
        hideDeleted={hideDeleted}
        tagKeys={keySet}
        isUndecided={isUndecided}
      />
    </>
  );
}
