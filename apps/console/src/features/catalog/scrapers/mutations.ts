import { useMutation, useQueryClient } from "@tanstack/react-query";
import { post } from "#lib/api.ts";
import { scraperQueries } from "./queries.ts";

/** Has a scraper run as soon as a worker is free; tells which run was its last before. */
export function useRunScraper(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const before = await client.fetchQuery(scraperQueries.lastRun(id));
      await post(`/api/catalog/scrapers/${id}/run`, {});
      return { before: before?.id };
    },
  });
}
