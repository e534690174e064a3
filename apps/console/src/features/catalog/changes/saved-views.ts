import type { SavedPage } from "#lib/saved-views/saved-page.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import { changesCodec, type ChangesView } from "./view.ts";

export const searchOf = (view: ChangesView): string =>
  stringifySearch(changesCodec.format({ ...view, open: [], change: "", part: "", pageIndex: 0 }));

export const changeViews: SavedPage = {
  page: "catalog-changes",
  name: "the changes",
  kept: (search) => searchOf(changesCodec.parse(parseSearch(search))),
};
