import { queryOptions } from "@tanstack/react-query";
import type { SavedView, ViewPage } from "@mainstay/contract/saved-views.ts";
import { get } from "#lib/api.ts";

export const viewsKey = (page: ViewPage) => ["saved-views", page] as const;

export const viewQueries = {
  /** The views that the asker saved of a page. */
  views: (page: ViewPage) =>
    queryOptions({
      queryKey: viewsKey(page),
      queryFn: async ({ signal }) =>
        (await get<{ views: SavedView[] }>(`/api/saved-views?page=${page}`, { signal })).views,
      staleTime: 60_000,
      // A page without its views is still a page; whoever opens them is told.
      retry: false,
      meta: { speaksForItself: true },
    }),
};
