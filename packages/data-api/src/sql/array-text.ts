/** A list as PostgreSQL writes arrays. */
export function arrayText(values: readonly unknown[]): string {
  const items = values.map((value) => {
    if (value === null || value === undefined) return "null";
    if (Array.isArray(value)) return arrayText(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${items.join(",")}}`;
}
