import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { paths } from "#lib/paths.ts";
import { useAccess } from "#lib/use-access.ts";
import { hasScraperQuery } from "./queries.ts";

const look =
  "inline-flex h-7 items-center rounded-control border border-control bg-raised px-2.5 text-sm font-medium hover:bg-hover";

/** A catalog without items: how it comes to have some. */
export function EmptyCatalog() {
  const access = useAccess();
  const { data: hasScraper } = useQuery(hasScraperQuery);
  const mayWrite =
    access.gate({ write: "config_scrapers", feature: "settings.config_scraper" }) === "open";
  return (
    <EmptyState
      title="The catalog is empty"
      actions={
        mayWrite && (
          <>
            <AppLink to={paths.catalogScrapers({ addScraper: true })} className={look}>
              Add a scraper
            </AppLink>
            <AppLink to={paths.applyDocuments()} className={look}>
              Apply documents
            </AppLink>
          </>
        )
      }
    >
      {hasScraper === true
        ? "What scrapers find appears here: none of them has found anything yet. Their job history says when they ran and what they met."
        : "What scrapers find appears here: machines, objects of a cluster, files, rows. Apply a document of kind ScrapeConfig, and its items follow within a minute."}
    </EmptyState>
  );
}
