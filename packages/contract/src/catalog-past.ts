/** An item of the catalog as it was, and how it has become what it is: what the server answers, and pages show. */

/** What of an item is kept over time, beside what is configured. */
export interface ItemState {
  name: string | null;
  type: string;
  health: string | null;
  status: string | null;
  description: string | null;
  /** Since when it was gone, at that moment. */
  deleted_at: string | null;
}

/** `GET /api/catalog/items/{id}/moments`: when an item became another. */
export interface ItemMoments {
  /** Since when its past is known. */
  since: string;
  /** Newest first. */
  moments: readonly ItemMoment[];
  /** There are older ones: ask with `before`. */
  hasMore: boolean;
}

export interface ItemMoment {
  at: string;
  /** What is configured became another; else only what is listed. */
  isConfig: boolean;
  changed: readonly (keyof ItemState)[];
  /** Which values became others: `spec.replicas, status.phase and 3 more`. */
  summary: string | null;
}

/** `GET /api/catalog/items/{id}/at?time=`. */
export interface ItemAt extends ItemState {
  id: string;
  time: string;
  /** From when on it was so, and until when; nothing for what still is. */
  from: string;
  until: string | null;
  config: unknown;
}

/** `GET /api/catalog/items/{id}/difference?from=&to=`. */
export interface ItemDifference {
  from: string;
  to: string;
  /** At both ends. */
  before: ItemState;
  after: ItemState;
  isSame: boolean;
  summary: string | null;
  /** Unified, over the JSON with its keys in order; nothing where that would be too long. */
  diff: string | null;
  /** RFC 6902. */
  patch: readonly unknown[];
  /** RFC 7396; nothing between texts. */
  merge_patch: unknown;
}

/** How long it is kept what items were. */
export const itemPastDays = 60;
