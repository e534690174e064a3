import { ResourceSearch } from "@mainstay/contract";
import { ApiError } from "@mainstay/data-api";
import { tooMany } from "#platform/errors.ts";
import type { Feature } from "#platform/feature.ts";
import { networkOf } from "#platform/http/network-of.ts";
import { createTurns } from "#platform/http/turns.ts";
import { searchResources } from "./search-resources.ts";

export { selectorCondition } from "./compile-selector.ts";

/** Searches of one person, or of one network of nobody, at once and waiting: each may keep several connections busy. */
const TURNS = { atOnce: 2, waiting: 30 };

/** Finds resources of every kind by selectors, which other features select with too. */
export const search: Feature = {
  name: "search",
  routes: (http) => {
    const turns = createTurns(TURNS);
    // Each kind asks for a right of its own.
    http.post(
      "/api/resources/search",
      { access: "session", body: ResourceSearch },
      ({ ctx, body, request }) =>
        turns
          .take(ctx.actor.kind === "person" ? ctx.actor.id : networkOf(request.ip), () =>
            searchResources(ctx, body),
          )
          .catch((error: unknown) => {
            if (!(error instanceof ApiError)) throw error;
            throw tooMany("Too many searches of yours are under way. Try again in a moment.");
          }),
    );
  },
};
