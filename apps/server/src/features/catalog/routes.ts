import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { openConnector } from "#platform/outbound/open-connector.ts";
import type { Services } from "#platform/feature.ts";
import { routes as changeRoutes } from "./change-search/routes.ts";
import { routes as noteRoutes } from "./notes/routes.ts";
import { routes as pastRoutes } from "./past/routes.ts";
import { catalogShares } from "./reading.ts";
import { dryRun } from "./scrapers/dry-run.ts";
import { runScraperNow } from "./scrapers/run-scraper-now.ts";
import { routes as summaryRoutes } from "./summary/routes.ts";

const textLimit = 2 * 1024 * 1024;
const DryRun = z.object({
  document: z.string().max(textLimit),
  /** The scraper whose stored secrets the placeholders of the text mean; else it is found by its uid or its name. */
  id: z.guid().optional(),
});

export function routes(http: Http, { config }: Pick<Services, "config">): void {
  const share = catalogShares();
  const connector = openConnector(config);
  const write = { resource: "config_scrapers", action: "write" } as const;
  summaryRoutes(http, share);
  changeRoutes(http, share);
  pastRoutes(http, share);
  noteRoutes(http);
  http.post(
    "/api/catalog/scrapers/:id/run",
    { access: write, params: z.object({ id: z.guid() }), status: 202 },
    ({ ctx, params }) => runScraperNow(ctx, params.id),
  );
  http.post(
    "/api/catalog/scrapers/run/document",
    { access: write, body: DryRun, bodyLimit: 2 * textLimit },
    ({ ctx, body }) => dryRun(ctx, { text: body.document, id: body.id, connector }),
  );
}
