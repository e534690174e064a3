import { queryOptions } from "@tanstack/react-query";
import type { SavedView } from "@mainstay/contract/saved-views.ts";
import { get } from "#lib/api.ts";

export const viewsKey = ["saved-views", "health"] as const;

export const viewQueries = {
  /** The views that the asker saved of this page. */
  views: () =>
    queryOptions({
      queryKey: viewsKey,
      queryFn: async ({ signal }) =>
        (await get<{ views: SavedView[] }>("/api/saved-views?page=health", { signal })).views,
      staleTime: 60_000,
      // A page without its views is still a page; whoever opens them is told.
      retry: false,
      meta: { speaksForItself: true },
    }),
};
