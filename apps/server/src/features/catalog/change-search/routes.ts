import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { countChanges, TimelineSearch } from "./count-changes.ts";
import { ChangeSearch, searchChanges } from "./search-changes.ts";

export function routes(http: Http, share: Share): void {
  const access = { resource: "config_scrapers", action: "read" } as const;
  const path = "/api/catalog/changes";
  http.post(path, { access, body: ChangeSearch }, ({ ctx, body, request }) =>
    share({ ctx, request }, (spent) => searchChanges(ctx, body, spent)),
  );
  http.get(path, { access, query: ChangeSearch }, ({ ctx, query, request }) =>
    share({ ctx, request }, (spent) => searchChanges(ctx, query, spent)),
  );
  http.post(`${path}/timeline`, { access, body: TimelineSearch }, ({ ctx, body, request }) =>
    share({ ctx, request }, (spent) => countChanges(ctx, body, spent)),
  );
}
