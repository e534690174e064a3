import type { Feature } from "#platform/feature.ts";
import { createEventStream } from "./event-stream.ts";

/** Tells open pages what has changed. Each feature's `views.sql` says which of its tables: `call announce_changes(...)`. */
export const live: Feature = {
  name: "live",
  views: new URL("views.sql", import.meta.url),
  routes: (http, services) => {
    const stream = createEventStream(services);
    http.get("/api/events", { access: "session" }, ({ ctx, request, reply }) =>
      stream(ctx, request, reply),
    );
  },
};
