import { resourceSearch } from "@mainstay/contract";
import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { createShares } from "#platform/http/shares.ts";
import { searchables } from "./searchable.ts";
import { searchResources } from "./search-resources.ts";

export function routes(http: Http, { resources }: Services): void {
  const kinds = searchables(resources.all);
  const share = createShares({
    asker: { atOnce: 1, waiting: 30, longestWaitMs: 10_000 },
    everybody: { atOnce: 4, waiting: 200, longestWaitMs: 10_000 },
    // A third of one connection in the long run.
    budget: { mostMs: 20_000, perMinuteMs: 20_000, askers: 10_000 },
  });
  // Each kind asks for a right of its own.
  http.post(
    "/api/resources/search",
    { access: "session", body: resourceSearch([...kinds.keys()]) },
    ({ ctx, body, request }) =>
      share({ ctx, request }, (spent) => searchResources(ctx, kinds, body, spent)),
  );
}
