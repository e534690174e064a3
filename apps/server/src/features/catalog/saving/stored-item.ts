import { createHash } from "node:crypto";
import { storableJson } from "#platform/db/storable-text.ts";
import type { ScrapedItem } from "../scraping/scraped.ts";
import { itemIdOf } from "./item-id.ts";

/** An item as it is written, and what tells whether it has changed. */
export interface StoredItem {
  id: string;
  item: ScrapedItem;
  /** What is configured, as JSON that PostgreSQL can hold. */
  config: string;
  /** SHA-256 over everything of it that is stored. */
  digest: Buffer;
}

/** The longest JSON of what is configured; of more only its size is kept. Source: issue of the catalog, "5 MB". */
export const mostConfig = 8 * 1024 * 1024;

/** @returns what was left out of it, too */
export function storedItem(
  scraperId: string,
  item: ScrapedItem,
): { stored: StoredItem; notice?: string } {
  const whole = storableJson(item.config);
  const isTooLong = whole.length > mostConfig;
  const config = isTooLong
    ? JSON.stringify({ cut: `It has ${whole.length} characters, at most ${mostConfig} are kept.` })
    : whole;
  const { config: _config, ...rest } = item;
  const digest = createHash("sha256")
    .update(whole)
    .update("\0")
    .update(JSON.stringify(rest))
    .digest();
  return {
    stored: { id: itemIdOf(scraperId, item), item, config, digest },
    ...(isTooLong && {
      notice: `${item.externalId}: it has ${whole.length} characters; at most ${mostConfig} are kept, so this one is listed without what is configured.`,
    }),
  };
}
