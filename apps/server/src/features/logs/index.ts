import type { Feature } from "#platform/feature.ts";
import { loggingBackendKind } from "./documents/logging-backend-kind.ts";
import { loggingBackend } from "./resources.ts";
import { tables } from "./tables.ts";

/** Log lines: where they are, and what is asked of them. */
export const logs: Feature = {
  name: "logs",
  resources: [loggingBackend],
  documents: [loggingBackendKind],
  tables,
  views: new URL("views.sql", import.meta.url),
};
