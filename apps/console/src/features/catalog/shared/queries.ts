import { queryOptions } from "@tanstack/react-query";
import { db } from "#lib/db.ts";

/** What there is to choose from in filters of the catalog. */
export const catalogLists = {
  types: queryOptions({
    queryKey: ["config_types"],
    queryFn: async ({ signal }) =>
      (await db.list("config_types", {}, { signal })).flatMap(({ type }) => type ?? []),
  }),
  changeTypes: queryOptions({
    queryKey: ["change_types"],
    queryFn: async ({ signal }) =>
      (await db.list("change_types", {}, { signal })).flatMap(
        ({ change_type: type }) => type ?? [],
      ),
  }),
  tags: queryOptions({
    queryKey: ["config_tags"],
    queryFn: ({ signal }) => db.list("config_tags", {}, { signal }),
  }),
};
