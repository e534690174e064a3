import type { Feature } from "#platform/feature.ts";
import { configItem } from "./resources.ts";
import { tables } from "./tables.ts";

export { type FoundItem, itemFinder } from "./find-items.ts";

/** The catalog of configuration items: for now, what checks are related to. */
export const catalog: Feature = {
  name: "catalog",
  open: ["config_scrapers"],
  resources: [configItem],
  tables,
  views: new URL("views.sql", import.meta.url),
};
