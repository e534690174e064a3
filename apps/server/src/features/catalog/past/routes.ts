import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import type { Share } from "#platform/http/shares.ts";
import { compareItem, listMoments, readItemAt } from "./read-past.ts";

const access = { resource: "config_scrapers", action: "read" } as const;
const params = z.object({ id: z.guid("There is no such item.") });
const moment = z.iso
  .datetime({ offset: true, error: "It is a time such as 2026-11-23T12:00:00Z." })
  .transform((text) => new Date(text));

const Moments = z.object({
  before: moment.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});
const At = z.object({ time: moment });
const Between = z.object({ from: moment, to: moment });

export function routes(http: Http, share: Share): void {
  http.get(
    "/api/catalog/items/:id/moments",
    { access, params, query: Moments },
    ({ ctx, params: { id }, query, request }) =>
      share({ ctx, request }, (spent) => listMoments({ ctx, id, spent }, query)),
  );
  http.get(
    "/api/catalog/items/:id/at",
    { access, params, query: At },
    ({ ctx, params: { id }, query, request }) =>
      share({ ctx, request }, (spent) => readItemAt({ ctx, id, spent }, query.time)),
  );
  http.get(
    "/api/catalog/items/:id/difference",
    { access, params, query: Between },
    ({ ctx, params: { id }, query, request }) =>
      share({ ctx, request }, (spent) => compareItem({ ctx, id, spent }, query)),
  );
}
