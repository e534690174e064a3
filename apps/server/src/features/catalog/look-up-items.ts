import type { SelectorSpec } from "@mainstay/contract";
import { defineService } from "#platform/service.ts";
import { catalogEvaluator } from "./scripts/catalog-evaluator.ts";
import { selectItems } from "./saving/select-items.ts";
import { itemScripts } from "./scraping/item-scripts.ts";
import { type LookupSource, selectorOf } from "./scraping/relate.ts";
import type { ItemSelector } from "./scraping/scraped.ts";

/**
 * What a document's lookups select, filled in from something that is no item itself, such as a check; nothing where one
 * of them gives nothing. `name` is where they stand. @throws ScrapeScriptMistake
 */
export const lookupSelector = defineService("selectors of lookups", ({ service }) => {
  const scripts = itemScripts(service(catalogEvaluator));
  return (
    name: string,
    spec: SelectorSpec,
    source: LookupSource,
  ): Promise<ItemSelector | undefined> => selectorOf(name, spec, source, scripts);
});

/** The ids of the items that such lookups select; of all scrapers where they name none. @throws ScrapeScriptMistake */
export const itemLookup = defineService("lookups of items", ({ db, service }) => {
  const select = service(lookupSelector);
  return async (name: string, spec: SelectorSpec, source: LookupSource): Promise<string[]> => {
    const selector = await select(name, spec, source);
    return selector ? selectItems(db, selector) : [];
  };
});
