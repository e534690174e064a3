import { ResourceSearch } from "@mainstay/contract";
import type { Feature } from "#platform/feature.ts";
import { searchResources } from "./search-resources.ts";

export { selectorCondition } from "./compile-selector.ts";

/** Finds resources of every kind by selectors, which other features select with too. */
export const search: Feature = {
  name: "search",
  routes: (http) =>
    // Each kind asks for a right of its own.
    http.post(
      "/api/resources/search",
      { access: "session", body: ResourceSearch },
      ({ ctx, body }) => searchResources(ctx, body),
    ),
};
