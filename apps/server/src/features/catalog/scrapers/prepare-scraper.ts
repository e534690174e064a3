import {
  codeInScraper,
  type Scraper,
  type ScraperBase,
  scraperSecretPlaces,
  scraperSpecs,
  type ScraperType,
} from "@mainstay/contract";
import { baseShape } from "@mainstay/contract/scrape-config/base-fields.ts";
import type { z } from "zod";
import {
  connectionFinder,
  prepareSpec,
  type PrepareParts,
  specNeeds,
  whyNotOpened,
  type WrittenSpec,
  writtenSecrets,
} from "#features/connections/index.ts";
import type { Ctx } from "#platform/context.ts";
import { createHider, type Hider } from "#platform/sealing/hide-secrets.ts";
import { catalogEvaluator } from "../scripts/catalog-evaluator.ts";
import { valueSources } from "#platform/value-sources/create-value-sources.ts";
import type { PreparedScraper } from "../scraping/scrape-document.ts";

/** What is said of items, and evaluated when they are there; and scripts of answers. */
const ownKeys: ReadonlySet<string> = new Set([
  ...Object.keys(baseShape),
  "pagination",
  "relationships",
  "watch",
]);

const noVariables = {} as const;

/** A scraper of a document, as it is prepared for every scrape. */
export interface ScraperDocument {
  id: string;
  name: string;
  namespace: string;
}

/** Puts connections, values and templates in the place of what names them. */
export async function prepareScraper(
  scraper: Scraper,
  document: ScraperDocument,
  signal: AbortSignal,
  parts: PrepareParts,
): Promise<PreparedScraper> {
  const { type, spec } = scraper;
  const places = scraperSecretPlaces(type, spec);
  const why = whyNotOpened(places);
  if (why !== undefined) return { ok: false, error: why };
  const secrets = writtenSecrets(spec, places);
  const written: WrittenSpec = {
    noun: "scraper",
    type,
    spec,
    isTemplated: true,
    ownKeys,
  };
  const schema = scraperSpecs[type as ScraperType] as unknown as z.ZodType<ScraperBase>;
  const needs = specNeeds(written) ?? {
    templates: [],
    values: [],
    connections: [],
    variables: noVariables,
  };
  const prepared = await prepareSpec(
    {
      written,
      needs,
      document: { ...document, labels: {} },
      namespace: document.namespace,
      seen: {},
      reaches: (one) => codeInScraper(type, one),
      schema,
      signal,
    },
    parts,
    secrets,
  );
  if (!prepared.ok) {
    const hider = createHider(secrets);
    return { ok: false, error: hider ? hider.message(prepared.error) : prepared.error };
  }
  secrets.push(...writtenSecrets(prepared.spec, scraperSecretPlaces(type, prepared.spec)));
  const hider: Hider | undefined = createHider(secrets);
  return { ok: true, spec: prepared.spec, ...(hider && { hider }) };
}

/** What the server has to prepare scrapers with. */
export const prepareParts = (ctx: Pick<Ctx, "service">): PrepareParts => ({
  evaluator: ctx.service(catalogEvaluator),
  values: ctx.service(valueSources),
  connections: ctx.service(connectionFinder),
});
