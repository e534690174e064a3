import type { CatalogGroup } from "@mainstay/contract";
import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { createSingleFlight } from "#platform/single-flight.ts";
import { summarize, SummaryInput } from "./summarize.ts";

export function routes(http: Http, share: Share): void {
  // Everybody who looks at the catalog asks the same again whenever something has changed.
  const answerOnce = createSingleFlight<CatalogGroup[]>();
  http.post(
    "/api/catalog/summary",
    { access: { resource: "config_scrapers", action: "read" }, body: SummaryInput },
    ({ ctx, body, request }) => {
      const question = JSON.stringify(body);
      return share<CatalogGroup[]>(
        { ctx, request, together: (work) => answerOnce(question, work) },
        (spent) => summarize(ctx, body, spent),
      );
    },
  );
}
