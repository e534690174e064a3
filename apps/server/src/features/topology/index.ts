import { componentHealthEvents } from "@mainstay/contract";
import type { Feature } from "#platform/feature.ts";
import { retentionJobs } from "./clean-up.ts";
import { component } from "./resources.ts";
import { followChanges } from "./roll-up/follow-changes.ts";
import { routes } from "./routes.ts";
import { functions, tables } from "./tables.ts";

/** Components: what a system is made of, as its people see it, and how it is. */
export const topology: Feature = {
  name: "topology",
  resources: [component],
  tables,
  functions,
  routes,
  schedules: retentionJobs,
  events: Object.values(componentHealthEvents),
  views: new URL("views.sql", import.meta.url),
  worker: async ({ ctx }) => followChanges(ctx),
};
