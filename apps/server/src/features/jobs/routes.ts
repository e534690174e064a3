import { z } from "zod";
import type { Http } from "#platform/http/route.ts";
import { retryDeliveries } from "./retry-deliveries.ts";

const Retry = z.strictObject({
  ids: z.array(z.int().positive()).min(1).max(10_000).optional(),
  handler: z.string().min(1).max(200).optional(),
});

export function routes(http: Http): void {
  http.post(
    "/api/event-deliveries/retry",
    { access: { resource: "database", action: "write" }, body: Retry },
    ({ ctx, body }) => retryDeliveries(ctx, body),
  );
}
