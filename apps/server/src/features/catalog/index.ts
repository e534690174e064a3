import {
  configChanged,
  configCreated,
  configDeleted,
  configHealthEvents,
  configUpdated,
} from "@mainstay/contract";
import type { Feature } from "#platform/feature.ts";
import { retentionJobs } from "./clean-up.ts";
import { configItem, configScraper } from "./resources.ts";
import { routes } from "./routes.ts";
import { scraperKind } from "./scrapers/scraper-kind.ts";
import { seedThisMachine } from "./scrapers/seed-this-machine.ts";
import { startScraperRunner } from "./scrapers/scraper-runner.ts";
import { catalogSettings } from "./settings.ts";
import { functions, tables } from "./tables.ts";

export { type FoundItem, type ItemFinder, itemFinder } from "./find-items.ts";
export { configItem } from "./resources.ts";
export { tagValues } from "./tag-values.ts";
export { catalogEvaluator } from "./scripts/catalog-evaluator.ts";
export { itemLookup, lookupSelector } from "./look-up-items.ts";
export type { ItemSelector } from "./scraping/scraped.ts";
export { ScrapeScriptMistake } from "./scraping/item-scripts.ts";
export { relationLines } from "./scrapers/relation-lines.ts";
export { scrapeOnce, type ScrapeResult } from "./scrapers/scrape-once.ts";

/** The catalog: configuration items, their changes, insights, relationships and cost, and the scrapers that find them. */
export const catalog: Feature = {
  name: "catalog",
  settings: catalogSettings,
  resources: [configItem, configScraper],
  rowsAbout: [{ table: "config_notes", kind: "configs", id: "\"row\" ->> 'config_id'" }],
  tables,
  functions,
  routes,
  schedules: retentionJobs,
  documents: [scraperKind],
  events: [
    configCreated,
    configDeleted,
    ...Object.values(configHealthEvents),
    configUpdated,
    configChanged,
  ],
  views: new URL("views.sql", import.meta.url),
  async worker(services) {
    await seedThisMachine(services.ctx, services.config);
    return startScraperRunner(services);
  },
};
