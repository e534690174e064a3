import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { routes as readingRoutes } from "./reading/routes.ts";

export function routes(http: Http, services: Services): void {
  readingRoutes(http, services);
}
