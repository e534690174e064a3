/** How an item or a component is. Of several together the one that stands last here counts. */
export const healths = ["unknown", "healthy", "warning", "unhealthy"] as const;
export type Health = (typeof healths)[number];

export const isHealth = (text: unknown): text is Health =>
  typeof text === "string" && (healths as readonly string[]).includes(text);

/** The health of several together; of none nobody knows. */
export const worstHealth = (found: Iterable<Health>): Health =>
  healths[Math.max(0, ...[...found].map((one) => healths.indexOf(one)))]!;
