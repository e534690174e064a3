import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";

/** Tells open pages what has changed. Each feature's `views.sql` says which of its tables: `call announce_changes(...)`. */
export const live: Feature = {
  name: "live",
  views: new URL("views.sql", import.meta.url),
  routes,
};
