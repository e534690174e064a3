/** Stands where a character stood that PostgreSQL cannot hold. */
const REPLACEMENT = "\uFFFD";

/** Text as PostgreSQL can hold it: no NUL, no half of a surrogate pair, not longer than `longest` characters. */
export function storableText(text: string, longest = Number.POSITIVE_INFINITY): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  const whole = cut.includes("\0") ? cut.replaceAll("\0", REPLACEMENT) : cut;
  return whole.toWellFormed();
}
