import type { ViewPage } from "@mainstay/contract/saved-views.ts";
import { parseSearch } from "#lib/search-params.ts";

/** A page whose views people save for themselves. */
export interface SavedPage {
  page: ViewPage;
  /** As it is called in "Open … with it". */
  name: string;
  /**
   * Of an address, what a view keeps: filters, order, range, columns and layout, as far as the page understands them; not
   * what is open at the moment.
   */
  kept: (search: string) => string;
}

export const isSameView = (a: string, b: string): boolean => {
  const [one, other] = [parseSearch(a), parseSearch(b)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
};
