const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What a reader takes for the first letter of a text, in any script; nothing for no text. */
export function firstLetter(text: string): string {
  const [first] = segmenter.segment(text.slice(0, 64));
  return first?.segment ?? "";
}

/** The first letters of the first two words of a name, or of an address before its `@`. */
export function initials(name: string): string {
  const words = (name.split("@")[0] ?? "").split(/[\s._-]+/).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => firstLetter(word).toUpperCase())
    .join("");
}
