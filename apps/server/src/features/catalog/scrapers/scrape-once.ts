import type { ParsedDocument, ScrapeConfigSpec } from "@mainstay/contract";
import { scrapersOf } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { PrepareParts } from "#features/connections/index.ts";
import type { Log } from "#platform/log.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { ItemFinder } from "../find-items.ts";
import type { ScrapedChange, ScrapedInsight, ScrapedItem } from "../scraping/scraped.ts";
import { scrapeDocument } from "../scraping/scrape-document.ts";
import { prepareScraper } from "./prepare-scraper.ts";

/** How much is kept to be shown: of each kind so many, as these make them. */
export interface Shown {
  most: number;
  item(item: ScrapedItem, place: number): ScrapedItem;
  change(change: ScrapedChange): ScrapedChange;
  insight(insight: ScrapedInsight): ScrapedInsight;
}

/** What a document found when it was scraped once, and nothing was stored. */
export interface ScrapeResult {
  scraper: string;
  /** Nothing failed, and all that there is was read. */
  isComplete: boolean;
  items: ScrapedItem[];
  changes: ScrapedChange[];
  insights: ScrapedInsight[];
  errors: string[];
  warnings: string[];
  /** How many items were found, changes and insights; more than are shown, perhaps. */
  found: number;
  foundChanges: number;
  foundInsights: number;
}

export interface ScrapeOnceParts extends PrepareParts {
  evaluator: Evaluator;
  /** Finds items of the catalog; absent where there is no server. */
  items?: ItemFinder;
  connector: Connector;
  signal: AbortSignal;
  log: Log;
  now: Date;
  /** All, as it is, when absent. */
  shown?: Shown;
}

const everything: Shown = {
  most: Number.POSITIVE_INFINITY,
  item: (item) => item,
  change: (change) => change,
  insight: (insight) => insight,
};

/** Scrapes a document once and stores nothing: the dry run of the console, and `mainstay run`. */
export async function scrapeOnce(
  document: ParsedDocument<ScrapeConfigSpec>,
  parts: ScrapeOnceParts,
): Promise<ScrapeResult> {
  const { shown = everything, signal } = parts;
  const { name, namespace } = document;
  const result: ScrapeResult = {
    scraper: `${namespace}/${name}`,
    isComplete: false,
    items: [],
    changes: [],
    insights: [],
    errors: [],
    warnings: [],
    found: 0,
    foundChanges: 0,
    foundInsights: 0,
  };
  const place = { id: document.uid ?? "", name, namespace };
  const { isComplete } = await scrapeDocument({
    ...parts,
    document: place,
    scrapers: scrapersOf(document.source),
    isFull: document.spec.full === true,
    prepare: (scraper) => prepareScraper(scraper, place, signal, parts),
    take({ items, changes, insights, failures, notices }) {
      result.found += items.length;
      result.foundChanges += changes.length;
      result.foundInsights += insights.length;
      const room = (list: readonly unknown[]) => Math.max(0, shown.most - list.length);
      for (const item of items.slice(0, room(result.items)))
        result.items.push(shown.item(item, result.items.length));
      result.changes.push(...changes.slice(0, room(result.changes)).map(shown.change));
      result.insights.push(...insights.slice(0, room(result.insights)).map(shown.insight));
      const errors = failures.map(({ message }) => message);
      result.errors.push(...errors.slice(0, room(result.errors)));
      for (const { message } of notices)
        if (room(result.warnings) > 0 && !result.warnings.includes(message))
          result.warnings.push(message);
      return Promise.resolve();
    },
  });
  result.isComplete = isComplete;
  return result;
}
