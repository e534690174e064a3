import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

/** What brings things in, of all kinds in one list: scrapers, topologies and log backends. */
export const integrations: Feature = {
  name: "integrations",
  tables,
  views: new URL("views.sql", import.meta.url),
};
