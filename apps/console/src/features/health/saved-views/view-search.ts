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

/** A stored view as an address; of what it says, what the page understands. */
export const addressOfView = (search: string): string =>
  searchOf(healthViewCodec.parse(parseSearch(search)));

export const isSameView = (a: string, b: string): boolean => {
  const [one, other] = [parseSearch(a), parseSearch(b)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
};
