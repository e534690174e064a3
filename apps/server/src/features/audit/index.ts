import type { Feature } from "#platform/feature.ts";
import { forgetOldChanges } from "./clean-up.ts";
import { routes } from "./routes.ts";
import { tables } from "./tables.ts";

/** Who changed what. Triggers write it, administrators read it, nobody changes it. */
export const audit: Feature = {
  name: "audit",
  tables,
  routes,
  schedules: [forgetOldChanges],
  views: new URL("views.sql", import.meta.url),
};

export { recordDryRun } from "./record-dry-run.ts";
export { recordRun } from "./record-run.ts";
