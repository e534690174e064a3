import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";

export { isId, isMade, orUnknown } from "./compare-field.ts";
export {
  located,
  onLabel,
  searchCondition,
  searchParts,
  selectorCondition,
} from "./compile-selector.ts";
export { all, any, inMatchList, like, not } from "./conditions.ts";
export { searchable, searchedAs } from "./searchable.ts";

/** Finds resources of every kind by selectors, which other features select with too. */
export const search: Feature = {
  name: "search",
  routes,
};
