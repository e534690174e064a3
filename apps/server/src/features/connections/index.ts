import type { Feature } from "#platform/feature.ts";

/** Access to other systems, kept once and named by whoever uses it. */
export const connections: Feature = { name: "connections" };

export { type Connection, type ConnectionFinder, ConnectionMissing } from "./connection.ts";
