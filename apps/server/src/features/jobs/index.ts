import type { Feature } from "#platform/feature.ts";
import { cleanups } from "./clean-up.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

/** The history of what ran in the background, and the state of the event queue. */
export const jobs: Feature = {
  name: "jobs",
  tables,
  routes,
  schedules: cleanups,
  views: new URL("views.sql", import.meta.url),
};
