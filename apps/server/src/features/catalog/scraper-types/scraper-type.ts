import type { ScraperBase, ScraperType } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { Log } from "#platform/log.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { ItemFinder } from "../find-items.ts";
import type { Json } from "../changes/json-patch.ts";
import type { Found, Untold } from "../scraping/scraped.ts";

/** What a scraper is given: what its document says, with connections, values and templates in place. */
export interface ScrapeInput<Spec> {
  spec: Spec;
  /** Aborted when the scrape takes too long, or the server stops. */
  signal: AbortSignal;
  connector: Connector;
  evaluator: Evaluator;
  /** Finds items that are in the catalog already; nobody does where there is no server. */
  items?: ItemFinder;
  /** The document that it stands in. */
  document: { name: string; namespace: string };
  /** When the scrape began. */
  now: Date;
  /** A position that it told when it was read before: of the past, only what has happened since needs to be told again. */
  stood?: Json;
  log: Log;
}

/**
 * A kind of scraper: reads one system and tells what it finds, a thing at a time, so that memory does not grow with the
 * system. It stores nothing, tries nothing again and knows no other scrape. What it throws is a failure of the scrape;
 * what has been told until then counts.
 */
export interface ScraperTypeDefinition<Spec extends ScraperBase = ScraperBase> {
  type: ScraperType;
  scrape(input: ScrapeInput<Spec>): AsyncIterable<Found>;
  /** What there may be untold when it fails; anything that the document knows when absent. */
  untold?: Required<Untold>;
  /** Tells what has happened since a position that it told, and the next position. */
  follow?(input: ScrapeInput<Spec>, from: Json): AsyncIterable<Found>;
}

/** Keeps the spec's type while the definitions are gathered. */
export const scraperType = <Spec extends ScraperBase>(
  definition: ScraperTypeDefinition<Spec>,
): ScraperTypeDefinition => definition;
