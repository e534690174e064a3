import { scraperSpecs, type ScraperType } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { Database } from "#platform/db/database.ts";
import { createLog } from "#platform/log.ts";
import { createConnector } from "#platform/outbound/connector.ts";
import type { Json } from "../changes/json-patch.ts";
import type { Differences } from "../changes/differences.ts";
import { ScrapeSave } from "../saving/scrape-save.ts";
import type { TypeSummary } from "../saving/scrape-summary.ts";
import { scrapeDocument } from "../scraping/scrape-document.ts";

export interface Scraped {
  /** Where it stood, when it said so. */
  position?: Json;
  isComplete: boolean;
  errors: string[];
  warnings: string[];
  added: number;
  updated: number;
  unchanged: number;
  deleted: number;
}

/** For tests: one scrape of one scraper, written as the worker writes it. */
export async function scrapeInto(
  db: Database,
  scraperId: string,
  {
    type,
    spec,
    now = new Date(),
    from,
  }: { type: ScraperType; spec: object; now?: Date; from?: Json | undefined },
  { differences, evaluator }: { differences: Differences; evaluator?: Evaluator },
): Promise<Scraped> {
  const save = new ScrapeSave({ db, scraperId, now, differences, retention: undefined });
  const scraper = `${type}-0`;
  let position: Json | undefined;
  const seen = await scrapeDocument({
    document: { name: "test", namespace: "default" },
    scrapers: [{ type, index: 0, name: scraper, path: [type], spec: {}, supported: true }],
    isFull: false,
    prepare: () => Promise.resolve({ ok: true, spec: scraperSpecs[type].parse(spec) }),
    connector: createConnector(),
    // Documents without scripts need none.
    evaluator: evaluator as Evaluator,
    signal: AbortSignal.timeout(60_000),
    now,
    log: createLog("error"),
    ...(from !== undefined && { from: new Map([[scraper, from]]) }),
    stands: (_scraper, at) => void (position = at),
    take: (processed) => save.add(processed),
  });
  const isComplete = seen.isComplete && from === undefined;
  const summary = await save.finish(from === undefined ? seen : { isComplete });
  const types = [...summary.types.values()];
  const sum = (count: (one: TypeSummary) => number) =>
    types.reduce((total, one) => total + count(one), 0);
  return {
    isComplete,
    ...(position !== undefined && { position }),
    errors: summary.errors,
    warnings: types.flatMap(({ warnings = [] }) => warnings),
    added: sum(({ added }) => added),
    updated: sum(({ updated }) => updated),
    unchanged: sum(({ unchanged }) => unchanged),
    deleted: sum(({ deleted = 0 }) => deleted),
  };
}
