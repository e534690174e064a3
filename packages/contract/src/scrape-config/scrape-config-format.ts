import { defaultScrapeSchedule } from "./default-schedule.ts";
import type { DocumentFormat } from "../documents/document-format.ts";
import { codeInScrapeConfig } from "./code-in-spec.ts";
import { judgeScrapeConfig } from "./judge.ts";
import {
  scrapeConfigApiVersion,
  scrapeConfigEnvelope,
  type ScrapeConfigSpec,
  scrapeConfigSpec,
} from "./scrape-config-spec.ts";
import { mapScrapeConfigSecrets } from "./scrape-config-secrets.ts";
import { scrapersOf } from "./scrapers-of.ts";

export const scrapeConfigFormat: DocumentFormat<ScrapeConfigSpec> = {
  kind: "ScrapeConfig",
  name: "scraper",
  plural: "scrapers",
  apiVersions: [scrapeConfigApiVersion],
  resource: "config_scrapers",
  envelope: scrapeConfigEnvelope,
  spec: scrapeConfigSpec,
  codeIn: codeInScrapeConfig,
  mapSecrets: mapScrapeConfigSecrets,
  judge: judgeScrapeConfig,
  listed: {
    TYPE: ({ spec }) => [...new Set(scrapersOf(spec).map(({ type }) => type))].join(", "),
    SCHEDULE: ({ spec: { schedule } }) =>
      typeof schedule === "string" ? schedule : defaultScrapeSchedule,
  },
};
