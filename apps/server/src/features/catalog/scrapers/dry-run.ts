import { codeInScrapeConfig, scrapeConfigFormat, type ScrapeConfigSpec } from "@mainstay/contract";
import type { ParsedDocument } from "@mainstay/contract";
import type { ScrapeTrial, ScrapeTrialReply } from "@mainstay/contract/catalog-trial.ts";
import { recordDryRun } from "#features/audit/index.ts";
import type { Ctx } from "#platform/context.ts";
import { fillStored } from "#platform/documents/fill-stored.ts";
import { inDocument } from "#platform/documents/locate-code.ts";
import { readDocuments } from "#platform/documents/save-documents.ts";
import { type AppError, invalid, tooMany } from "#platform/errors.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { refuseCode } from "#platform/require-code.ts";
import { itemFinder } from "../find-items.ts";
import { catalogEvaluator } from "../scripts/catalog-evaluator.ts";
import { prepareParts } from "./prepare-scraper.ts";
import type { JsonObject } from "../changes/json-patch.ts";
import { optional } from "../scraping/extract-item.ts";
import { scrapeOnce, type ScrapeResult, type Shown } from "./scrape-once.ts";
import { scraperKind, scraperSealer } from "./scraper-kind.ts";

/** Documents of one text, what is shown of each, and how long all of them take at most. */
const most = { documents: 10, shown: 100, configs: 20, configCharacters: 20_000, text: 1_000 };
const longestMs = 60_000;
/** Of one server at the same time: each may read a whole system. */
const mostRuns = 3;
let running = 0;

/** Scrapes what a text says once, stores nothing, and says what was found. */
export async function dryRun(
  ctx: Ctx,
  { text, id, connector }: { text: string; id?: string | undefined; connector: Connector },
): Promise<ScrapeTrialReply> {
  ctx.require("config_scrapers", "write");
  const { documents: written, notices } = readDocuments(text, [scrapeConfigFormat]);
  if (written.length > most.documents)
    throw invalid(`The text has ${written.length} documents: at most ${most.documents} are tried.`);
  if (running >= mostRuns)
    throw tooMany("Several scrapers are being tried already. Try again in a moment.");
  running += 1;
  try {
    const refusal = findRefusal(ctx, text, written);
    await recordDryRun(ctx, { text, documents: written, isRefused: refusal !== undefined });
    if (refusal) throw refusal;
    const kind = { ...scraperKind, sealer: scraperSealer(ctx.config) };
    const documents = await fillStored(ctx, kind, { text, id, documents: written });
    // What is sealed could be more than it seems.
    const hidden = findRefusal(ctx, text, documents);
    if (hidden) throw hidden;
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(longestMs)]);
    const results: ScrapeTrial[] = [];
    for (const document of documents)
      results.push(
        toTrial(
          await scrapeOnce(document, {
            ...prepareParts(ctx),
            evaluator: ctx.service(catalogEvaluator),
            items: ctx.service(itemFinder),
            connector,
            signal,
            log: ctx.log,
            now: ctx.clock.now(),
            shown,
          }),
        ),
      );
    return { results, notices };
  } finally {
    running -= 1;
  }
}

function findRefusal(
  ctx: Ctx,
  text: string,
  documents: readonly ParsedDocument<ScrapeConfigSpec>[],
): AppError | undefined {
  for (const { source, index } of documents) {
    const refusal = refuseCode(ctx, codeInScrapeConfig(source), inDocument(text, index));
    if (refusal) return refusal;
  }
  return undefined;
}

const cut = (text: string) => (text.length > most.text ? `${text.slice(0, most.text - 1)}…` : text);
const cutOf = <Key extends string>(key: Key, text: string | undefined) =>
  optional(key, text === undefined ? undefined : cut(text));

/** What is found may be a hundred times megabytes: what nobody sees is let go at once. */
const shown: Shown = {
  most: most.shown,
  item({ config, ...item }, place) {
    const isShown = place < most.configs && JSON.stringify(config).length <= most.configCharacters;
    return {
      ...item,
      ...cutOf("status", item.status),
      labels: {},
      properties: [],
      parents: [],
      relations: [],
      config: isShown ? config : hidden,
    };
  },
  change({ details: _details, patches: _patches, diff: _diff, ...change }) {
    return {
      ...change,
      changeType: cut(change.changeType),
      ...cutOf("summary", change.summary),
    };
  },
  insight({ analysis: _analysis, properties: _properties, ...insight }) {
    return {
      ...insight,
      analyzer: cut(insight.analyzer),
      ...cutOf("summary", insight.summary),
      ...cutOf("message", insight.message),
    };
  },
};
/** In the place of what is configured, where it is not shown. */
const hidden: JsonObject = {};

const toTrial = (result: ScrapeResult): ScrapeTrial => ({
  scraper: result.scraper,
  complete: result.isComplete,
  found: {
    items: result.found,
    changes: result.foundChanges,
    insights: result.foundInsights,
  },
  items: result.items.map(({ externalId, type, name, health, status, tags, config }) => ({
    external_id: externalId,
    type,
    name,
    health: health ?? null,
    status: status ?? null,
    tags,
    ...(config !== hidden && { config }),
  })),
  changes: result.changes.map(({ item, changeType, severity, summary, createdAt }) => ({
    item: item.externalId,
    change_type: changeType,
    severity: severity ?? null,
    summary: summary ?? null,
    created_at: createdAt?.toISOString() ?? null,
  })),
  insights: result.insights.map(({ item, analyzer, severity, summary, message }) => ({
    item: item.externalId,
    analyzer,
    severity,
    summary: summary ?? message ?? null,
  })),
  errors: result.errors,
  warnings: result.warnings,
});
