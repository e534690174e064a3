import type { Feature } from "#platform/feature.ts";

/** Log lines: where they are, and what is asked of them. */
export const logs: Feature = { name: "logs" };
