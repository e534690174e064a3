import { scrapeConfigFormat } from "@mainstay/contract";
import type { ScrapeTrial, ScrapeTrialReply } from "@mainstay/contract/catalog-trial.ts";
import { type TrialInput, trialsOf } from "#features/documents/index.ts";
import type { Ctx } from "#platform/context.ts";
import type { Connector } from "#platform/outbound/connector.ts";
import { itemFinder } from "../find-items.ts";
import { catalogEvaluator } from "../scripts/catalog-evaluator.ts";
import { prepareParts } from "./prepare-scraper.ts";
import type { JsonObject } from "../changes/json-patch.ts";
import { optional } from "../scraping/extract-item.ts";
import { relationLines } from "./relation-lines.ts";
import { scrapeOnce, type ScrapeResult, type Shown } from "./scrape-once.ts";
import { scraperKind } from "./scraper-kind.ts";

/** What is shown of what a document finds. */
const most = { shown: 100, configs: 20, configCharacters: 20_000, text: 1_000, relations: 20 };

/** Each run may read a whole system. */
const tryScrapers = trialsOf({
  format: scrapeConfigFormat,
  kind: scraperKind,
  mostDocuments: 10,
  mostRuns: 3,
  longestMs: 60_000,
});

/** Scrapes what a text says once, stores nothing, and says what was found. */
export const dryRun = (
  ctx: Ctx,
  { connector, ...input }: TrialInput & { connector: Connector },
): Promise<ScrapeTrialReply> =>
  tryScrapers(ctx, input, async (documents, signal) => {
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
    return results;
  });

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
      // Candidates for the one that there is.
      parents: item.parents.slice(0, 1),
      relations: item.relations.slice(0, most.relations),
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
  relations: result.items
    .flatMap(relationLines)
    .slice(0, most.shown)
    .map(({ from, relation, to }) => ({ from: cut(from), relation: cut(relation), to: cut(to) })),
  errors: result.errors,
  warnings: result.warnings,
});
