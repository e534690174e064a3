import type { Services } from "#platform/feature.ts";
import type { Http } from "#platform/http/route.ts";
import { createEventStream } from "./event-stream.ts";

export function routes(http: Http, services: Services): void {
  const stream = createEventStream(services);
  http.get("/api/events", { access: "session" }, ({ ctx, request, reply }) =>
    stream(ctx, request, reply),
  );
}
