import type { Feature } from "#platform/feature.ts";
import { table } from "#platform/table.ts";
import { configItem } from "./resources.ts";

/** The catalog of configuration items: for now, what checks are related to. */
export const catalog: Feature = {
  name: "catalog",
  open: ["config_scrapers"],
  resources: [configItem],
  tables: [
    table("config_items", { read: "config_scrapers" }),
    table("configs", { read: "config_scrapers" }),
  ],
  views: new URL("views.sql", import.meta.url),
};
