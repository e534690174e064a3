/** Document 1, section 2. */
export const durationPresets: readonly string[] = [
  "All",
  "100ms",
  "500ms",
  "1s",
  "5s",
  "10s",
  "30s",
];

/** Document 1, section 5. */
export const durationFilterError = "duration is allowed only in milli seconds & seconds";

/** The least duration that a text asks for: nothing for All, `null` for what is not a duration. */
export function parseDurationFilter(text: string): number | undefined | null {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.toLowerCase() === "all") return undefined;
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s)$/.exec(trimmed);
  return match ? Math.round(Number(match[1]) * (match[2] === "s" ? 1_000 : 1)) : null;
}
