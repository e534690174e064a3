import type { Feature } from "#platform/feature.ts";
import { listProperties } from "./list-properties.ts";
import { localProperties } from "./local-properties.ts";
import { properties } from "./tables.ts";
import { settingsSettings } from "./settings.ts";

/** Feature flags and other properties. */
export const settings: Feature = {
  name: "settings",
  settings: settingsSettings,
  open: ["feature_flags"],
  tables: [properties],
  routes: (http, { ctx }) => {
    // Read now, so that the program does not start with a file that it cannot use.
    ctx.service(localProperties);
    http.get("/api/properties", { access: "session" }, ({ ctx }) => listProperties(ctx));
  },
  views: new URL("./views.sql", import.meta.url),
};
