import { queryOptions } from "@tanstack/react-query";
import type { Rows } from "@mainstay/contract/rows.ts";
import { columns, db, eq } from "#lib/db.ts";

export type ScraperRun = Pick<
  Rows["job_histories"],
  "id" | "status" | "success_count" | "error_count" | "details" | "created_at"
>;

const select = columns(
  "job_histories",
  "id",
  "status",
  "success_count",
  "error_count",
  "details",
  "created_at",
);

/** Nobody announces how a run goes on. */
const whileRunningMs = 1_000;

/** The end of the run that is waited for: of one that came after another. */
export const endOf = (
  last: ScraperRun | null | undefined,
  before: string | null | undefined,
): ScraperRun | undefined =>
  last && last.id !== before && last.status?.toUpperCase() !== "RUNNING" ? last : undefined;

export const scraperQueries = {
  /** Its newest run; with one before it, asked again and again until the next one is over. */
  lastRun: (id: string, before?: { id: string | null | undefined }) =>
    queryOptions({
      queryKey: ["catalog", "scrapers", id, "last-run"],
      queryFn: async ({ signal }): Promise<ScraperRun | null> =>
        db.first(
          "job_histories",
          {
            select,
            where: { resource_type: eq("config_scraper"), resource_id: eq(id) },
            order: ["created_at.desc", "id.desc"],
            limit: 1,
          },
          { signal },
        ),
      staleTime: 0,
      refetchInterval: ({ state }) =>
        before && !endOf(state.data, before.id) ? whileRunningMs : false,
      meta: { speaksForItself: true },
    }),
};
