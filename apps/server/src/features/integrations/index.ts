import type { Feature } from "#platform/feature.ts";
import { tables } from "./tables.ts";

/** What brings things in, of all kinds in one list: scrapers and topologies. */
export const integrations: Feature = {
  name: "integrations",
  tables,
  views: new URL("views.sql", import.meta.url),
};
