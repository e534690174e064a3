import { queryOptions } from "@tanstack/react-query";
import { columns, db } from "#lib/db.ts";

/** Whether there is a scraper at all: what an empty catalog lacks. */
export const hasScraperQuery = queryOptions({
  queryKey: ["catalog", "has-scraper"],
  queryFn: async ({ signal }) =>
    (
      await db.list(
        "config_scrapers_with_status",
        { select: columns("config_scrapers_with_status", "id"), limit: 1 },
        { signal },
      )
    ).length > 0,
  meta: { tables: ["config_scrapers"] },
});
