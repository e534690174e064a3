import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

/** People, inviting them, and changing who they are and what they may do. */
export const people: Feature = {
  name: "people",
  resources: [{ kind: "person", table: "people", read: "database" }],
  tables,
  routes,
  personal: [{ table: "people", decidesAccess: true }],
  views: new URL("./views.sql", import.meta.url),
};
