import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { summarize, SummaryInput } from "./summarize.ts";

export const routes = (http: Http, share: Share): void =>
  http.post(
    "/api/catalog/summary",
    { access: { resource: "config_scrapers", action: "read" }, body: SummaryInput },
    ({ ctx, body, request }) => share({ ctx, request }, (spent) => summarize(ctx, body, spent)),
  );
