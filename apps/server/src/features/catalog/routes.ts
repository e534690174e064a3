import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { routes as changeRoutes } from "./change-search/routes.ts";
import { routes as noteRoutes } from "./notes/routes.ts";
import { routes as pastRoutes } from "./past/routes.ts";
import { catalogShares } from "./reading.ts";
import { runScraperNow } from "./scrapers/run-scraper-now.ts";
import { routes as summaryRoutes } from "./summary/routes.ts";

export function routes(http: Http): void {
  const share = catalogShares();
  summaryRoutes(http, share);
  changeRoutes(http, share);
  pastRoutes(http, share);
  noteRoutes(http);
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
