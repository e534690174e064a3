import type { Feature } from "#platform/feature.ts";
import { forgetSessions } from "#features/identity/index.ts";
import { createEventStream } from "./event-stream.ts";
import { createHub, isAboutPeople } from "./hub.ts";

/** Tells open pages what has changed. Each feature's `views.sql` says which of its tables: `call announce_changes(...)`. */
export const live: Feature = {
  name: "live",
  views: new URL("views.sql", import.meta.url),
  routes: (http, { ctx, listener, tables, stopping }) => {
    const stream = createHub({ listener, log: ctx.log }).then((hub) => {
      stopping.addEventListener("abort", () => hub.close(), { once: true });
      // What this server remembers of sessions counts no more, whichever server has changed it.
      hub.subscribe(undefined, (event) => {
        if (event.kind === "reset" || isAboutPeople(event)) forgetSessions(ctx.db);
      });
      return createEventStream({ hub, tables, stopping });
    });
    // Whoever asks is told; a server without a database to listen to does not start.
    stream.catch(() => undefined);
    http.get("/api/events", { access: "session" }, async (input) =>
      (await stream)(input.ctx, input.request, input.reply),
    );
  },
};
