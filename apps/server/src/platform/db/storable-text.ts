/** Stands where a character stood that PostgreSQL cannot hold. */
const REPLACEMENT = "\uFFFD";

/** Text as PostgreSQL can hold it: no NUL, no half of a surrogate pair, not longer than `longest` characters. */
export function storableText(text: string, longest = Number.POSITIVE_INFINITY): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  const whole = cut.includes("\0") ? cut.replaceAll("\0", REPLACEMENT) : cut;
  return whole.toWellFormed();
}

/** JSON without what PostgreSQL cannot hold, in its keys and its texts. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(0000|[dD][89a-fA-F])/.test(text)) return text;
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string") return storableText(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([key, member]) => [storableText(key), member]),
    );
  });
}
