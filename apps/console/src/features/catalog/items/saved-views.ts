import { noFilter } from "@mainstay/ui/filters/tri-state-filter.ts";
import type { SavedPage } from "#lib/saved-views/saved-page.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import { catalogCodec, type CatalogView } from "./catalog-view.ts";

export const searchOf = (view: CatalogView): string =>
  stringifySearch(catalogCodec.format({ ...view, expanded: noFilter }));

export const catalogViews: SavedPage = {
  page: "catalog",
  name: "the catalog",
  kept: (search) => searchOf(catalogCodec.parse(parseSearch(search))),
};
