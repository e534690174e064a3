import { type JsonSchema, jsonSchemaOf } from "../documents/json-schema.ts";
import { scrapeConfigEnvelope, scrapeConfigSpec } from "./scrape-config-spec.ts";
import { scraperSpecs, type ScraperType } from "./scraper-types.ts";

/** JSON Schema of a ScrapeConfig document, for editors: what is written, with a description on every field. */
export const scrapeConfigJsonSchema = (): JsonSchema => jsonSchemaOf(scrapeConfigEnvelope);
/** JSON Schema of the bare spec, as the console edits it. */
export const scrapeConfigSpecJsonSchema = (): JsonSchema => jsonSchemaOf(scrapeConfigSpec);
/** JSON Schema of one scraper. */
export const scraperJsonSchema = (type: ScraperType): JsonSchema =>
  jsonSchemaOf(scraperSpecs[type]);
