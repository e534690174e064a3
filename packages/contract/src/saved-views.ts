/** Views of a page that somebody saved: what the address of the page says, under a name. */

export const viewPages = ["health", "catalog", "catalog-changes", "catalog-insights"] as const;
export type ViewPage = (typeof viewPages)[number];

export interface SavedView {
  id: string;
  name: string;
  /** What follows the `?` of the address. */
  search: string;
  /** Shown when the page is opened without anything in its address. */
  is_default: boolean;
}

/** Of one person, for one page. */
export const mostViews = 50;
export const longestViewName = 100;
export const longestViewSearch = 4_000;
