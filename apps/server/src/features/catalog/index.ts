import type { Feature } from "#platform/feature.ts";
import { configItem } from "./resources.ts";
import { functions, tables } from "./tables.ts";

export { type FoundItem, itemFinder } from "./find-items.ts";

/** The catalog: configuration items, their changes, insights, relationships and cost, and the scrapers that find them. */
export const catalog: Feature = {
  name: "catalog",
  open: ["config_scrapers"],
  resources: [configItem],
  tables,
  functions,
  views: new URL("views.sql", import.meta.url),
};
