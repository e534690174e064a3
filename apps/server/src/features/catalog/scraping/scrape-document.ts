import type { Scraper, ScraperBase } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { Log } from "#platform/log.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import type { Hider } from "#platform/sealing/hide-secrets.ts";
import { findScraperType } from "../scraper-types/index.ts";
import type { ItemFinder } from "../find-items.ts";
import { itemScripts } from "./item-scripts.ts";
import { hideInFound } from "./hide-found.ts";
import { nothing, type Processed, processFound } from "./process-found.ts";
import type { Json } from "../changes/json-patch.ts";
import type { Found, ItemGroup, Untold } from "./scraped.ts";

export type PreparedScraper =
  | {
      ok: true;
      spec: ScraperBase;
      /** Of the secrets that it was given: what was read may repeat them. */
      hider?: Hider;
    }
  | { ok: false; error: string };

export interface ScrapeDocumentOptions {
  document: { name: string; namespace: string };
  scrapers: readonly Scraper[];
  isFull: boolean;
  /** Puts connections, values and templates in place. */
  prepare(scraper: Scraper): Promise<PreparedScraper>;
  connector: Connector;
  evaluator: Evaluator;
  /** Finds items of the catalog; absent where there is no server. */
  items?: ItemFinder;
  signal: AbortSignal;
  now: Date;
  log: Log;
  /** Takes what has been found, in the order in which it was; the next thing is read when it is done. */
  take(processed: Processed): Promise<void>;
  /** Told where a scraper stands, by its name, when all that it had found before was taken. */
  stands?(scraper: string, position: Json): void;
  /** Where they stood: only what has happened since is read, of those that can tell it. All is read when absent. */
  from?: ReadonlyMap<string, Json>;
  /** Where they stood when all is read again: what is told of the past is told from then on. */
  stood?: ReadonlyMap<string, Json>;
}

/** How much of what there is was told: all, but for what `Untold` says. */
export interface Seen extends Untold {
  /** Nothing failed, and nothing was left out. */
  isComplete: boolean;
}

/** How a scrape that failed is told: in which scraper, and why. */
const failureOf = (scraper: Scraper, message: string): Processed => ({
  ...nothing(),
  failures: [{ message: `${scraper.name}: ${message}` }],
});

/** What a scraper that failed may have left untold. */
const untoldBy = ({ type }: Scraper): Untold => findScraperType(type)?.untold ?? {};

/** What was not told, of all that failures and notices say. */
class Missed {
  readonly #groups = new Map<string, ItemGroup>();
  readonly #sources = new Set<string>();
  #isComplete = true;
  #isAnyItem = false;
  #isAnyInsight = false;

  note({ unseen, unjudged }: Untold): void {
    this.#isComplete = false;
    for (const group of unseen ?? []) this.#groups.set(JSON.stringify(group), group);
    for (const source of unjudged ?? []) this.#sources.add(source);
    this.#isAnyItem ||= unseen === undefined;
    this.#isAnyInsight ||= unjudged === undefined;
  }

  seen(): Seen {
    return {
      isComplete: this.#isComplete,
      ...(!this.#isAnyItem && { unseen: [...this.#groups.values()] }),
      ...(!this.#isAnyInsight && { unjudged: [...this.#sources] }),
    };
  }
}

/** Runs the scrapers of a document one after the other. One that fails takes nothing from the others. */
export async function scrapeDocument(options: ScrapeDocumentOptions): Promise<Seen> {
  const { scrapers, signal, take } = options;
  const missed = new Missed();
  for (const scraper of scrapers) {
    if (options.from && !options.from.has(scraper.name)) continue;
    try {
      signal.throwIfAborted();
      await scrapeOne(scraper, options, missed);
    } catch (error) {
      missed.note(untoldBy(scraper));
      const cause: unknown = signal.aborted ? signal.reason : error;
      options.log.debug({ err: cause, scraper: scraper.name }, "a scraper failed");
      await take(failureOf(scraper, messageOf(cause)));
      if (signal.aborted) break;
    }
  }
  return missed.seen();
}

const longestMessage = 4000;
const messageOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, longestMessage);

async function scrapeOne(
  scraper: Scraper,
  options: ScrapeDocumentOptions,
  missed: Missed,
): Promise<void> {
  const { take, evaluator, connector, signal, document, now, log } = options;
  const refused = async (why: string) => {
    missed.note(untoldBy(scraper));
    await take(failureOf(scraper, why));
  };
  if (scraper.held !== undefined) return refused(scraper.held);
  const definition = findScraperType(scraper.type);
  if (!definition) return refused(`Scrapers of type ${scraper.type} are not run by this version.`);
  const prepared = await options.prepare(scraper);
  if (!prepared.ok) return refused(prepared.error);
  const processing = {
    signal,
    base: prepared.spec,
    isFull: options.isFull,
    scripts: itemScripts(evaluator),
  };
  const stood = options.stood?.get(scraper.name);
  const input = {
    spec: prepared.spec,
    signal,
    connector,
    evaluator,
    document,
    now,
    log,
    ...(stood !== undefined && { stood }),
  };
  const { hider } = prepared;
  const position = options.from?.get(scraper.name);
  const all =
    position === undefined
      ? definition.scrape({ ...input, ...(options.items && { items: options.items }) })
      : (definition.follow?.(input, position) ?? []);
  for await (const found of hiding(all, hider)) {
    if (found.kind === "position") options.stands?.(scraper.name, found.position);
    const processed = await processFound(found, processing);
    for (const { untold } of processed.failures) missed.note(untold ?? {});
    for (const { untold } of processed.notices) if (untold) missed.note(untold);
    await take({
      ...processed,
      failures: processed.failures.map((failure) => ({
        ...failure,
        message: `${scraper.name}: ${failure.message}`,
      })),
    });
    signal.throwIfAborted();
  }
}

/** Without the secrets that the scraper was given, wherever a system repeats them. */
async function* hiding(
  all: AsyncIterable<Found> | Iterable<Found>,
  hider: Hider | undefined,
): AsyncIterable<Found> {
  try {
    for await (const found of all) yield hider ? hideInFound(found, hider) : found;
  } catch (error) {
    if (!hider || !(error instanceof Error)) throw error;
    throw new Error(hider.message(error.message), { cause: error });
  }
}
