import { scraperSpecs, type ScraperType } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import { createLog } from "#platform/log.ts";
import { type Connector, createConnector } from "#platform/outbound/connector.ts";
import type { Json } from "../../changes/json-patch.ts";
import type {
  Found,
  ScrapedChange,
  ScrapedInsight,
  ScrapedItem,
  Untold,
} from "../../scraping/scraped.ts";
import { findScraperType } from "../index.ts";

/** What a scraper told, by what it is. */
export interface Told {
  items: ScrapedItem[];
  changes: ScrapedChange[];
  insights: ScrapedInsight[];
  judged: number;
  failures: string[];
  /** What may not have been told, as failures and notices say: types with their tags and labels, sources of insights, `*` for any. */
  unseen: string[];
  unjudged: string[];
  notices: string[];
  gone: string[];
  /** Where it stood at the end, when it said so. */
  position?: Json;
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
    from,
    connector = createConnector(),
    stood,
    signal,
  }: {
    now?: Date;
    timeoutMs?: number;
    evaluator?: Evaluator;
    /** Only what has happened since. */
    from?: Json | undefined;
    /** What is kept by it is kept from one scrape to the next. */
    connector?: Connector;
    /** Where it stood when all was read before. */
    stood?: Json | undefined;
    signal?: AbortSignal;
  } = {},
): Promise<Told> {
  const told: Told = {
    items: [],
    changes: [],
    insights: [],
    judged: 0,
    failures: [],
    unseen: [],
    unjudged: [],
    notices: [],
    contents: [],
    gone: [],
    types: {},
    item(wanted, name) {
      const found = told.items.find((one) => one.type === wanted && one.name === name);
      if (!found) throw new Error(`No ${wanted} ${name} was found.`);
      return found;
    },
  };
  const input = {
    spec: scraperSpecs[type].parse(spec),
    signal: signal ?? AbortSignal.timeout(timeoutMs),
    connector,
    evaluator,
    document: { name: "test", namespace: "default" },
    now,
    log: createLog("error"),
    ...(stood !== undefined && { stood }),
  };
  const definition = findScraperType(type)!;
  const all =
    from === undefined
      ? definition.scrape(input as never)
      : definition.follow!(input as never, from);
  for await (const found of all)
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
        note(told, found);
        break;
      case "notice":
        told.notices.push(found.message);
        if (found.untold) note(told, found.untold);
        break;
      case "gone":
        told.gone.push(found.item.externalId);
        break;
      case "position":
        told.position = found.position;
        break;
      case "judged":
        told.judged += found.count;
        break;
      case "insight":
        told.insights.push(found.insight);
        break;
    }
  return told;
}

function note(told: Told, { unseen, unjudged }: Untold): void {
  const words = unseen?.map(({ type, tags = {}, labels = {} }) =>
    [type, ...Object.values({ ...tags, ...labels })].join(" "),
  );
  told.unseen.push(...(words ?? ["*"]));
  told.unjudged.push(...(unjudged ?? ["*"]));
}
