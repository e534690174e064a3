import type { SelectorSpec } from "@mainstay/contract";
import { defineService } from "#platform/service.ts";
import { catalogEvaluator } from "./scripts/catalog-evaluator.ts";
import { selectItems } from "./saving/select-items.ts";
import { itemScripts } from "./scraping/item-scripts.ts";
import { type LookupSource, selectorOf } from "./scraping/relate.ts";

/**
 * The ids of the items that a document's lookups select, filled in from something that is no item itself, such as a
 * check; of all scrapers where they name none. `name` is where they stand. @throws ScrapeScriptMistake
 */
export const itemLookup = defineService("lookups of items", ({ db, service }) => {
  const scripts = itemScripts(service(catalogEvaluator));
  return async (name: string, spec: SelectorSpec, source: LookupSource): Promise<string[]> => {
    const selector = await selectorOf(name, spec, source, scripts);
    return selector ? selectItems(db, selector) : [];
  };
});
