import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { contains, db } from "#lib/db.ts";

/** As many are listed. */
export const mostListed = 200;

/** C9, those that hold a text: there may be tens of thousands. */
export const labelsQuery = (text: string) =>
  queryOptions({
    queryKey: ["catalog", "labels", text],
    queryFn: ({ signal }) =>
      db.list(
        "config_labels",
        {
          ...(text !== "" && { anyOf: [{ key: contains(text) }, { value: contains(text) }] }),
          order: ["key.asc", "value.asc"],
          limit: mostListed + 1,
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
