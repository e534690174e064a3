/** Whether the pieces stand in a text in this order, the first at its start and the last at its end. */
export function matchesPattern(pattern: readonly string[], text: string): boolean {
  const [first = "", ...rest] = pattern;
  if (rest.length === 0) return text === first;
  const last = rest.pop()!;
  if (text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
