import type { SavedPage } from "#lib/saved-views/saved-page.ts";
import { parseSearch, stringifySearch } from "#lib/search-params.ts";
import { defaultView, healthViewCodec, type HealthView } from "../view/health-view.ts";
import { noFilter } from "@mainstay/ui/filters/tri-state-filter.ts";

/** What of an address a view keeps: filters, order, range, columns and layout; not what is open at the moment. */
export const searchOf = (view: HealthView): string =>
  stringifySearch(
    healthViewCodec.format({
      ...view,
      checkId: undefined,
      checkTab: defaultView.checkTab,
      checkRange: undefined,
      expanded: noFilter,
      addCheck: false,
    }),
  );

export const healthViews: SavedPage = {
  page: "health",
  name: "Health",
  kept: (search) => searchOf(healthViewCodec.parse(parseSearch(search))),
};
