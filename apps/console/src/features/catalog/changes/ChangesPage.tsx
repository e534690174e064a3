import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { PageBar } from "#lib/PageBar.tsx";
import { paths } from "#lib/paths.ts";
import { useDefaultView } from "#lib/saved-views/use-default-view.ts";
import { useUrlState } from "#lib/url-state.ts";
import { CatalogTabs } from "../shared/CatalogTabs.tsx";
import { useHideDeleted } from "../shared/hide-deleted.ts";
import { ChangeList, toLines } from "./ChangeList.tsx";
import { changeQueries, changesKey } from "./queries.ts";
import { changeViews } from "./saved-views.ts";
import type { ChangesOf } from "./search-body.ts";
import { changesCodec } from "./view.ts";

/** /catalog/changes: what has happened to everything. */
export function ChangesPage() {
  const hidesDeleted = useHideDeleted();
  const everything = useMemo((): ChangesOf => ({ hidesDeleted }), [hidesDeleted]);
  const [view, change] = useUrlState(changesCodec);
  const client = useQueryClient();
  const isUndecided = useDefaultView(changeViews);
  const page = useQuery({
    ...changeQueries.page(view, everything),
    select: toLines,
    enabled: !isUndecided,
  });
  return (
    <>
      <PageBar
        crumbs={[{ label: "Catalog", to: paths.catalog() }, { label: "Changes" }]}
        refresh={{
          onRefresh: () => void client.invalidateQueries({ queryKey: changesKey }),
          isRefreshing: page.isFetching,
          updatedAt: page.dataUpdatedAt,
        }}
      />
      <CatalogTabs selected="changes" />
      <ChangeList of={everything} view={view} change={change} page={page} />
    </>
  );
}
