import { queryOptions } from "@tanstack/react-query";
import { get } from "#lib/api.ts";
import { type Property } from "#lib/use-access.ts";

/** A flag with who made it and when; a local one has neither. */
export interface Flag extends Property {
  created_by?: { id: string; name: string; avatar: string | null } | null;
  created_at?: string | null;
  updated_at?: string | null;
}

export const flagsKey = ["settings", "flags"] as const;

/** F1: what is in force, with who made it and when. */
export const flagsQuery = queryOptions({
  queryKey: flagsKey,
  queryFn: ({ signal }) => get<Flag[]>("/api/properties", { signal }),
  staleTime: 0,
  meta: {
    tables: ["properties", "people"],
    rows: (flags) => ({
      people: (flags as Flag[]).flatMap(({ created_by }) => (created_by ? [created_by.id] : [])),
    }),
  },
});
