import type { ConsoleDocumentKind } from "#lib/documents/document-kinds.ts";

/** What is read into the catalog, and when. */
export const scraperKind: ConsoleDocumentKind = {
  kind: "ScrapeConfig",
  name: "scraper",
  resourceKind: "config_scraper",
  label: "Scrapers",
  resource: "config_scrapers",
  feature: "settings.config_scraper",
  table: "config_scrapers",
  loadFormat: () =>
    import("@mainstay/contract/scrape-config/scrape-config-format.ts").then(
      (module) => module.scrapeConfigFormat,
    ),
  facts: [
    {
      id: "schedule",
      header: "Schedule",
      fields: ["schedule"],
      of: ({ schedule }) => (typeof schedule === "string" ? schedule : null),
    },
  ],
  trial: {
    label: "Run once",
    busyLabel: "Running...",
    refused: "Nothing was scraped",
    load: () => import("./scrapers/editor/run-once.tsx").then((module) => module.runOnce),
  },
  loadForm: () =>
    import("./scrapers/editor/form/ScraperForm.tsx").then((module) => module.ScraperForm),
  deleting: "What it found leaves the catalog.",
};
