import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";
import { properties } from "./tables.ts";
import { settingsSettings } from "./settings.ts";

/** Feature flags and other properties. */
export const settings: Feature = {
  name: "settings",
  settings: settingsSettings,
  open: ["feature_flags"],
  tables: [properties],
  routes,
  views: new URL("./views.sql", import.meta.url),
};
