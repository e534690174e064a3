import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SavedView, ViewPage } from "@mainstay/contract/saved-views.ts";
import { post, request } from "#lib/api.ts";
import { viewsKey } from "./queries.ts";

const addressOf = ({ id }: Pick<SavedView, "id">) => `/api/saved-views/${encodeURIComponent(id)}`;

export function useViewChanges(page: ViewPage) {
  const client = useQueryClient();
  // Also what was refused may have been because of what is not shown yet.
  const onSettled = () => client.invalidateQueries({ queryKey: viewsKey(page) });
  const meta = { speaksForItself: true };
  return {
    save: useMutation({
      meta,
      mutationFn: (view: Omit<SavedView, "id">) =>
        post<SavedView>("/api/saved-views", { page, ...view }),
      onSettled,
    }),
    change: useMutation({
      meta,
      mutationFn: ({ id, ...change }: Partial<SavedView> & Pick<SavedView, "id">) =>
        request(addressOf({ id }), { method: "PATCH", body: change }),
      onSettled,
    }),
    remove: useMutation({
      meta,
      mutationFn: (view: SavedView) => request(addressOf(view), { method: "DELETE" }),
      onSettled,
    }),
  };
}
