import { createHash } from "node:crypto";
import { isUuid } from "../scraping/extract-item.ts";
import type { ScrapedItem } from "../scraping/scraped.ts";

/**
 * The id of an item in this catalog: the one that its source gives it, else one that follows (RFC 9562, version 5) from
 * its scraper, its type and the id that it has there, so that it is the same in every scrape and known without a look.
 */
export function itemIdOf(
  scraperId: string,
  { configId, externalId, type }: Pick<ScrapedItem, "configId" | "externalId" | "type">,
): string {
  if (configId !== undefined) return configId.toLowerCase();
  if (isUuid(externalId)) return externalId.toLowerCase();
  const bytes = createHash("sha1")
    .update(Buffer.from(scraperId.replaceAll("-", ""), "hex"))
    .update([type, externalId].join("\0"))
    .digest()
    .subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32]
    .map((end, place, ends) => hex.slice(ends[place - 1] ?? 0, end))
    .join("-");
}
