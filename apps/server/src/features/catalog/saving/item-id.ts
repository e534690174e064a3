import { uuidOf } from "#platform/uuid-of.ts";
import { isUuid } from "../scraping/extract-item.ts";
import type { ScrapedItem } from "../scraping/scraped.ts";

/**
 * The id of an item in this catalog: the one that its source gives it, else one that follows from its scraper, its type
 * and the id that it has there, so that it is the same in every scrape and known without a look.
 */
export function itemIdOf(
  scraperId: string,
  { configId, externalId, type }: Pick<ScrapedItem, "configId" | "externalId" | "type">,
): string {
  if (configId !== undefined) return configId.toLowerCase();
  if (isUuid(externalId)) return externalId.toLowerCase();
  return uuidOf(scraperId, type, externalId);
}
