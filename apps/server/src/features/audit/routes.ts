import type { Http } from "#platform/http/route.ts";
import { ActQuery, findActs } from "./find-acts.ts";

export function routes(http: Http): void {
  http.get(
    "/api/audit/acts",
    { access: { resource: "audit", action: "read" }, query: ActQuery },
    ({ ctx, query }) => findActs(ctx, query),
  );
}
