import type { Item } from "./queries.ts";

declare module "#lib/places/place.ts" {
  interface PlaceData {
    /** The page of an item of the catalog. */
    config: { given: { item: Item }; row: { item: { id: string } } };
  }
}
