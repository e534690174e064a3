import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";

export { selectorCondition } from "./compile-selector.ts";
export { searchable } from "./searchable.ts";

/** Finds resources of every kind by selectors, which other features select with too. */
export const search: Feature = {
  name: "search",
  routes,
};
