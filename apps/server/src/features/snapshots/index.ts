import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";

/** What is known of a component or an item in a range of time, as a zip to keep and to hand on. */
export const snapshots: Feature = { name: "snapshots", routes };
