import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { routes as explainRoutes } from "./explain/routes.ts";
import { routes as pastRoutes } from "./past/routes.ts";
import { routes as readingRoutes } from "./reading/routes.ts";
import { topologyShares } from "./shares.ts";

export function routes(http: Http, services: Services): void {
  const share = topologyShares();
  readingRoutes(http, services, share);
  pastRoutes(http, share);
  explainRoutes(http, share);
}
