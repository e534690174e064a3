import { scraperSpecs, type ScraperType } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import { createLog } from "#platform/log.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import type { Found, ScrapedChange, ScrapedItem } from "../../scraping/scraped.ts";
import { findScraperType } from "../index.ts";

/** What a scraper told, by what it is. */
export interface Told {
  items: ScrapedItem[];
  changes: ScrapedChange[];
  failures: string[];
  notices: string[];
  contents: Extract<Found, { kind: "content" }>["read"][];
  /** Of the types of items, how many. */
  types: Record<string, number>;
  item(type: string, name: string): ScrapedItem;
}

/** For tests: one scraper, asked once, and nothing made of what it tells. */
export async function scrapeWith(
  type: ScraperType,
  spec: object,
  {
    now = new Date("2026-06-15T12:00:00Z"),
    timeoutMs = 30_000,
    evaluator,
  }: { now?: Date; timeoutMs?: number; evaluator?: Evaluator } = {},
): Promise<Told> {
  const told: Told = {
    items: [],
    changes: [],
    failures: [],
    notices: [],
    contents: [],
    types: {},
    item(wanted, name) {
      const found = told.items.find((one) => one.type === wanted && one.name === name);
      if (!found) throw new Error(`No ${wanted} ${name} was found.`);
      return found;
    },
  };
  const input = {
    spec: scraperSpecs[type].parse(spec),
    signal: AbortSignal.timeout(timeoutMs),
    connector: createConnector(),
    evaluator,
    document: { name: "test", namespace: "default" },
    now,
    log: createLog("error"),
  };
  for await (const found of findScraperType(type)!.scrape(input as never))
    switch (found.kind) {
      case "item":
        told.items.push(found.item);
        told.types[found.item.type] = (told.types[found.item.type] ?? 0) + 1;
        break;
      case "change":
        told.changes.push(found.change);
        break;
      case "content":
        told.contents.push(found.read);
        break;
      case "failure":
        told.failures.push(found.message);
        break;
      case "notice":
        told.notices.push(found.message);
        break;
      case "insight":
        break;
    }
  return told;
}
