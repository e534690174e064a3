import type { SavedPage } from "#lib/saved-views/saved-page.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import { insightsCodec, type InsightsView } from "./view.ts";

export const searchOf = (view: InsightsView): string =>
  stringifySearch(insightsCodec.format({ ...view, insight: "", pageIndex: 0 }));

export const insightViews: SavedPage = {
  page: "catalog-insights",
  name: "the insights",
  kept: (search) => searchOf(insightsCodec.parse(parseSearch(search))),
};
