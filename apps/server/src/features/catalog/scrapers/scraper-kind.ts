import {
  codeInScrapeConfig,
  defaultScrapeSchedule,
  mapScrapeConfigSecrets,
  scrapeConfigFormat,
  type Scraper,
  scrapersOf,
  scraperScripts,
} from "@mainstay/contract";
import { ScriptError } from "@mainstay/scripting";
import type { Ctx, Tx } from "#platform/context.ts";
import {
  type DocumentKind,
  type DocumentParts,
  plainRow,
  type PlainDocumentRow,
} from "#platform/documents/document-kind.ts";
import type { EncryptionConfig } from "#platform/encryption.ts";
import { makeDue, removeSchedules, setSchedules } from "#platform/jobs/claims.ts";
import type { KeyedIssue } from "#platform/http/refuse-places.ts";
import { requireCode } from "#platform/require-code.ts";
import { catalogEvaluator } from "../scripts/catalog-evaluator.ts";
import { createSealer, type Sealer } from "#platform/sealing/sealer.ts";

import { findScraperType } from "../scraper-types/index.ts";
import { dropPositions } from "./positions.ts";

/** The kind of the rows in `schedules` that scrape; their key is the scraper's id. */
export const SCRAPER_SLOTS = "config_scraper";

/** Those that follow what has happened since, with the same keys. Source: server contract, section 14. */
export const FOLLOW_SLOTS = "config_scraper_follow";
const followEvery = "@every 15s";

/** Of the specs of scrapers (`config_scrapers.spec`, `config_scrapers.sealed`). */
export const scraperSealer = (config: EncryptionConfig): Sealer =>
  createSealer(config, { name: scrapeConfigFormat.name, map: mapScrapeConfigSecrets });

/** Nobody reads more mistakes than these. */
const mostIssues = 100;

/** Scrapers: documents that say what is read into the catalog, and when. */
export const scraperKind: DocumentKind<PlainDocumentRow> = {
  ...plainRow,
  format: scrapeConfigFormat,
  table: "config_scrapers",
  exactSource: {
    column: "kept_in",
    word: (source) => (source.startsWith("kubernetes/") ? "KubernetesCRD" : "ConfigFile"),
  },
  judge: judgeScripts,
  async follow(ctx, tx, row, { locate }) {
    // Another document may be about another cluster.
    await dropPositions(tx, row.id, { except: [] });
    if (row.deleted_at !== null) {
      await removeSchedules(tx, SCRAPER_SLOTS, row.id);
      return removeSchedules(tx, FOLLOW_SLOTS, row.id);
    }
    // As it will run: what is sealed could be more than it seems.
    const { document: opened } = scraperSealer(ctx.config).open(row.spec, row.sealed);
    requireCode(ctx, codeInScrapeConfig(opened), locate);
    await schedule(tx, row);
  },
};

/** What can be followed between two scrapes, and is not to be left alone. */
const isFollowed = ({ type, spec, held }: Scraper): boolean =>
  held === undefined &&
  findScraperType(type)?.follow !== undefined &&
  !(Array.isArray(spec.watch) && spec.watch.length === 0);

async function schedule(tx: Tx, { id, spec }: PlainDocumentRow): Promise<void> {
  const said = typeof spec.schedule === "string" && spec.schedule !== "";
  const rule = said ? (spec.schedule as string) : defaultScrapeSchedule;
  await setSchedules(tx, { kind: SCRAPER_SLOTS, key: id, schedule: rule });
  if (rule !== "@never" && scrapersOf(spec).some(isFollowed))
    await setSchedules(tx, { kind: FOLLOW_SLOTS, key: id, schedule: followEvery });
  else await removeSchedules(tx, FOLLOW_SLOTS, id);
  if (rule !== "@never") await makeDue(tx, SCRAPER_SLOTS, id);
}

/** Scripts and paths that are none of their language. They are read and not run. */
async function judgeScripts(
  ctx: Ctx,
  { spec }: Pick<DocumentParts, "spec">,
): Promise<KeyedIssue[]> {
  const evaluator = ctx.service(catalogEvaluator);
  const issues = await Promise.all(
    scraperScripts(spec).map(async ({ name, language, text, path, isSpec }) => {
      try {
        await evaluator.check({ language, script: text, ...(isSpec && { isSpec }) });
        return [];
      } catch (error) {
        if (!(error instanceof ScriptError)) throw error;
        const place = [error.language, error.line, error.column].filter(
          (part) => part !== undefined,
        );
        return [
          { path: ["spec", ...path], message: `${name}: ${place.join(":")}: ${error.message}` },
        ];
      }
    }),
  );
  return issues.flat().slice(0, mostIssues);
}
