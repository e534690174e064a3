import type { Feature } from "#platform/feature.ts";
import { routes } from "./routes.ts";

export { type TrialInput, type TrialRules, trialsOf, type Try } from "./try-documents.ts";

/** Documents of every kind: applied all or none, read again, deleted. The kinds are those that the features list. */
export const documents: Feature = { name: "documents", routes };
