/** What a script is given, as somebody wrote it: a mapping in JSON. */
export function readContext(
  text: string,
): { context: Record<string, unknown> } | { problem: string } {
  if (text.trim() === "") return { context: {} };
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { context: value as Record<string, unknown> }
      : { problem: "The context must be a JSON object: names with their values." };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
