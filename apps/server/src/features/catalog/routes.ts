import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { runScraperNow } from "./scrapers/run-scraper-now.ts";

export function routes(http: Http): void {
  http.post(
    "/api/catalog/scrapers/:id/run",
    {
      access: { resource: "config_scrapers", action: "write" },
      params: z.object({ id: z.guid() }),
      status: 202,
    },
    ({ ctx, params }) => runScraperNow(ctx, params.id),
  );
}
