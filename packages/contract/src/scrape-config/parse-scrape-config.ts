import { type Parsed, parseDocuments, parseSpec } from "../documents/parse-documents.ts";
import type { TextLimits } from "../documents/read-yaml.ts";
import { scrapeConfigFormat } from "./scrape-config-format.ts";
import type { ScrapeConfigSpec } from "./scrape-config-spec.ts";

interface ParseOptions {
  file?: string;
  /** Each document is a spec alone, as the console edits and stores it. */
  bare?: boolean;
  /** Name and namespace of a bare spec, which has none of its own. */
  name?: string;
  namespace?: string;
  limits?: Partial<TextLimits>;
}

/** Reads ScrapeConfig documents from YAML or JSON. */
export const parseScrapeConfigs = (
  text: string,
  { bare = false, ...options }: ParseOptions = {},
): Parsed<ScrapeConfigSpec> =>
  bare
    ? parseSpec(text, scrapeConfigFormat, options)
    : parseDocuments(text, { ...options, formats: [scrapeConfigFormat] });
