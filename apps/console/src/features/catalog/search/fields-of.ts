import {
  itemSearchFields,
  type SearchField,
} from "@mainstay/contract/resource-selector/search-fields.ts";
import type { SearchedKind } from "./searched-kind.ts";

export const fieldsOf: Readonly<Record<SearchedKind, readonly SearchField[]>> = {
  items: itemSearchFields,
};
