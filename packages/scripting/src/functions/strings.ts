/** Functions over text. Lengths count characters. */

const maxCharacters = 10_000_000;

function mustFit(length: number): void {
  if (length > maxCharacters) throw new Error("the text gets too long");
}

const notAlphanumeric = /[^\p{L}\p{N}]+/gu;

export function repeat(text: string, times: number): string {
  if (times < 0) throw new Error(`negative count ${times}`);
  mustFit(text.length * times);
  return text.repeat(times);
}

export function replaceAll(text: string, old: string, by: string): string {
  const found = old === "" ? Array.from(text).length + 1 : text.split(old).length - 1;
  mustFit(text.length + found * by.length);
  if (old !== "") return text.replaceAll(old, () => by);
  return (
    by +
    Array.from(text)
      .map((c) => c + by)
      .join("")
  );
}

/** Into `most` parts at most when that is not negative; an empty separator cuts between characters. */
export function split(text: string, separator: string, most = -1): string[] {
  if (most === 0) return [];
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  if (most < 0 || parts.length <= most) return parts;
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)];
}

/** Drops what `cutset` has of characters from both ends. */
export function trim(text: string, cutset: string): string {
  const characters = Array.from(text);
  const cut = new Set(cutset);
  let start = 0;
  let end = characters.length;
  while (start < end && cut.has(characters[start] ?? "")) start++;
  while (end > start && cut.has(characters[end - 1] ?? "")) end--;
  return characters.slice(start, end).join("");
}

export const trimPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

export const trimSuffix = (text: string, suffix: string): string =>
  suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;

/** Go's idea of white space differs from JavaScript's by U+0085 and U+FEFF. */
const isSpace = (c: string | undefined): boolean =>
  c !== undefined && c !== "\ufeff" && (c === "\u0085" || c.trim() === "");

export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start])) start++;
  while (end > start && isSpace(text[end - 1])) end--;
  return text.slice(start, end);
}

export function trunc(text: string, length: number): string {
  const characters = Array.from(text);
  return length < 0 || characters.length <= length ? text : characters.slice(0, length).join("");
}

/** Shortens to `width` characters, dots included; what is cut is at the end, or before `offset` too. */
export function abbrev(text: string, width: number, offset = 0): string {
  const characters = Array.from(text);
  const { length } = characters;
  if (length <= width) return text;
  if (width < 4) throw new Error("the least width of an abbreviation is 4");
  let start = Math.min(offset, length);
  if (length - start < width - 3) start = length - (width - 3);
  if (start <= 4) return `${characters.slice(0, width - 3).join("")}...`;
  if (width < 7) throw new Error("the least width of an abbreviation with an offset is 7");
  if (start + width - 3 < length) {
    return `...${abbrev(characters.slice(start).join(""), width - 3)}`;
  }
  return `...${characters.slice(length - (width - 3)).join("")}`;
}

export function indent(text: string, width = 1, by = " "): string {
  if (width <= 0 || by.includes("\n")) return text;
  const lines = text.split("\n");
  mustFit(text.length + lines.length * width * by.length);
  const margin = by.repeat(width);
  return lines.map((line) => (line === "" ? line : margin + line)).join("\n");
}

/** In single quotes, so that a shell takes it for one word. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

/** In single quotes as YAML has them. */
export const squote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Words begin with a capital and go on in small letters; `o'neill` is one word. */
export function title(text: string): string {
  return text.replace(/[\p{L}\p{N}\p{M}_]+(?:['’.:·][\p{L}\p{N}\p{M}_]+)*/gu, (word) => {
    const at = word.search(/\p{L}/u);
    if (at < 0) return word;
    const first = String.fromCodePoint(word.codePointAt(at) ?? 0);
    return word.slice(0, at) + first.toUpperCase() + word.slice(at + first.length).toLowerCase();
  });
}

function words(text: string, joiner: string): string {
  const trimmed = trimSpace(text);
  if (trimmed === "") return "";
  const [first = ""] = trimmed;
  const lower = trimmed.toLowerCase();
  // The first letter stays as it is written.
  const kept = first + lower.slice(first.length);
  return kept.replace(notAlphanumeric, " ").trim().replaceAll(" ", joiner);
}

export const snakeCase = (text: string): string => words(text, "_");
export const kebabCase = (text: string): string => words(text, "-");

export function camelCase(text: string): string {
  const trimmed = trimSpace(text);
  if (trimmed === "") return "";
  const [first = ""] = trimmed;
  return (first + title(trimmed).slice(first.length)).replace(notAlphanumeric, "");
}

/** Breaks lines at spaces so that they have at most `width` characters, where words allow it. */
export function wordWrap(text: string, width = 80, lineBreak = "\n"): string {
  const characters = Array.from(text);
  const limit = width < 1 ? 80 : width;
  const newline = lineBreak === "" ? "\n" : lineBreak;
  let out = "";
  let offset = 0;
  const part = (from: number, to: number): string => characters.slice(from, to).join("");
  while (characters.length - offset > limit) {
    if (characters[offset] === " ") {
      offset++;
      continue;
    }
    let at = characters.lastIndexOf(" ", offset + limit);
    if (at < offset) at = characters.indexOf(" ", offset + limit);
    if (at < 0) break;
    out += part(offset, at) + newline;
    mustFit(out.length);
    offset = at + 1;
  }
  return out + part(offset, characters.length);
}

const spelled: Record<string, string> = {
  "&": "and",
  "@": "at",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
};

/** For addresses: small letters, digits and dashes. */
export function slug(text: string): string {
  const plain = text
    .replace(/[&@]/g, (c) => ` ${spelled[c] ?? ""} `)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (c) => spelled[c] ?? "")
    .replace(/['’"]/g, "");
  return plain
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/-+/g, "-")
    .replace(/^[-_]+|[-_]+$/g, "");
}

export const runeCount = (text: string): number => Array.from(text).length;
