import { resourceSearch } from "@mainstay/contract";
import { ApiError } from "@mainstay/data-api";
import { tooMany } from "#platform/errors.ts";
import type { Services } from "#platform/feature.ts";
import { createBudget } from "#platform/http/database-budget.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Http } from "#platform/http/route.ts";
import { createTurns } from "#platform/http/turns.ts";
import { searchables } from "./searchable.ts";
import { searchResources } from "./search-resources.ts";

/** Searches of one person, or of one network of nobody, at once and waiting; and of everybody together. */
const TURNS = { atOnce: 1, waiting: 30, longestWaitMs: 10_000 };
const EVERYBODYS_TURNS = { atOnce: 4, waiting: 200, longestWaitMs: 10_000 };
/** A third of one connection in the long run. */
const BUDGET = { mostMs: 20_000, perMinuteMs: 20_000, askers: 10_000 };

export function routes(http: Http, { resources }: Services): void {
  const kinds = searchables(resources.all);
  const turns = createTurns(TURNS);
  const everybodys = createTurns(EVERYBODYS_TURNS);
  const budget = createBudget(BUDGET);
  // Each kind asks for a right of its own.
  http.post(
    "/api/resources/search",
    { access: "session", body: resourceSearch([...kinds.keys()]) },
    async ({ ctx, body, request }) => {
      const asker = ctx.actor.kind === "person" ? ctx.actor.id : networkOf(request.ip);
      const search = () =>
        everybodys.take(
          "everybody",
          () => searchResources(ctx, kinds, body, (ms) => budget.spend(asker, ms)),
          ctx.signal,
        );
      try {
        budget.require(asker);
        return await turns.take(asker, search, ctx.signal);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        throw tooMany(`${error.message} Try again in a moment.`);
      }
    },
  );
}
