import { useMutation, useQueryClient } from "@tanstack/react-query";
import { post, request } from "#lib/api.ts";
import { itemQueries } from "./queries.ts";

/** Writes, changes and deletes notes of an item. */
export function useNoteChanges(itemId: string) {
  const client = useQueryClient();
  const onSettled = () =>
    client.invalidateQueries({ queryKey: itemQueries.notes(itemId).queryKey });
  // The box that is written in says what failed, and keeps what was typed.
  const meta = { speaksForItself: true };
  const address = (id: string) => `/api/catalog/notes/${encodeURIComponent(id)}`;
  return {
    add: useMutation({
      meta,
      mutationFn: (note: string) =>
        post(`/api/catalog/items/${encodeURIComponent(itemId)}/notes`, { note }),
      onSettled,
    }),
    change: useMutation({
      meta,
      mutationFn: ({ id, note }: { id: string; note: string }) =>
        request(address(id), { method: "PATCH", body: { note } }),
      onSettled,
    }),
    remove: useMutation({
      mutationFn: (id: string) => request(address(id), { method: "DELETE" }),
      onSettled,
    }),
  };
}
