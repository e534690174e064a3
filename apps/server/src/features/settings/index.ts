import type { Feature } from "#platform/feature.ts";
import { listProperties } from "./list-properties.ts";
import { useLocalProperties } from "./local-properties.ts";
import { properties } from "./tables.ts";

/** Feature flags and other properties. */
export const settings: Feature = {
  name: "settings",
  tables: [properties],
  routes: (http, { ctx: { db, log }, config }) => {
    useLocalProperties(db, config.propertiesFile, log);
    http.get("/api/properties", { access: "session" }, ({ ctx }) => listProperties(ctx));
  },
  views: new URL("./views.sql", import.meta.url),
};
