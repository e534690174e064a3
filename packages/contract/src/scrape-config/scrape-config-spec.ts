import { z } from "zod";
import { durationText, offering, scheduleText } from "../canary/fields.ts";
import { listUnder } from "../documents/list-under.ts";
import { documentEnvelope, documentMetadata } from "../documents/metadata.ts";
import { defaultScrapeSchedule } from "./default-schedule.ts";
import { retention } from "./retention.ts";
import {
  scraperKeys,
  scraperSpecs,
  type ScraperType,
  unsupportedScraperTypes,
  type UnsupportedScraperType,
} from "./scraper-types.ts";

/** Scrapers in one document, over all types. */
export const mostScrapers = 200;

/** A list of each, and one where a list could stand. */
const listOf = <Spec extends z.ZodType>(spec: Spec) =>
  z
    .union([z.array(spec), spec])
    .transform((found): z.output<Spec>[] => listUnder(found) as z.output<Spec>[]);

/** Described as its schema is. */
const supportedShape = Object.fromEntries(
  Object.entries<z.ZodType>(scraperSpecs).map(([type, spec]) => [
    type,
    listOf(spec)
      .optional()
      .describe(spec.description ?? ""),
  ]),
) as unknown as {
  [Type in ScraperType]: z.ZodOptional<z.ZodType<z.output<(typeof scraperSpecs)[Type]>[]>>;
};

const kept = listOf(z.looseObject({}));
const unsupportedShape = Object.fromEntries(
  unsupportedScraperTypes.map((type) => [
    type,
    kept.optional().describe("Kept; not run by this version."),
  ]),
) as Record<UnsupportedScraperType, z.ZodOptional<typeof kept>>;

export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;

export const scrapeConfigSpec = z
  .looseObject({
    schedule: scheduleText
      .optional()
      .describe(
        `When it is scraped: five-field cron, @every 1h, @hourly, @daily, @weekly, @monthly, @yearly or @never; ${defaultScrapeSchedule} when absent. Every 29s at most.`,
      ),
    timeout: durationText.optional().describe("A scrape fails after this long."),
    logLevel: z
      .string()
      .max(64)
      .meta(offering(logLevels))
      .optional()
      .describe("What is logged of a scrape: trace, debug or info; info when absent."),
    full: z
      .boolean()
      .optional()
      .describe(
        "What is read holds changes and insights beside items: objects with config, changes, analysis.",
      ),
    crdSync: z
      .boolean()
      .optional()
      .describe(
        "Accepted; not applied by this version: items that are documents of this product are only listed.",
      ),
    system: z.boolean().optional().describe("Accepted: it belongs to the system itself."),
    watch: z
      .boolean()
      .optional()
      .describe("Accepted; the kubernetes scraper says what it watches."),
    retention: retention.optional(),
    ...supportedShape,
    ...unsupportedShape,
  })
  .superRefine((spec, context) => {
    const total = scraperKeys.reduce((sum, key) => sum + listUnder(spec[key]).length, 0);
    if (total > mostScrapers)
      context.addIssue({
        code: "custom",
        path: [],
        message: `There are ${total} scrapers, at most ${mostScrapers} fit in one document.`,
      });
  });

export type ScrapeConfigSpec = z.output<typeof scrapeConfigSpec>;

export const scrapeConfigApiVersion = "configs.flanksource.com/v1";

export const scrapeConfigEnvelope = documentEnvelope({
  kind: "ScrapeConfig",
  apiVersions: [scrapeConfigApiVersion],
  metadata: documentMetadata,
  spec: scrapeConfigSpec.describe("What is scraped and when."),
});
