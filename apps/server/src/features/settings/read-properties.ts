/**
 * Properties files, as they are known from Java and from the reference: `name=value`, `name: value` or `name value` a
 * line; `#` and `!` begin a comment; a backslash escapes a sign (`\n`, `\t`, `\u0041`) or, at the end, joins the next line.
 */

export const MAX_NAME_LENGTH = 256;
export const MAX_VALUE_LENGTH = 64 * 1024;
const MAX_PROPERTIES = 10_000;

export class PropertiesError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = "PropertiesError";
  }
}

/** The properties of a file's text; the last one of a name counts. */
export function readProperties(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { line, text: entry } of entriesOf(text)) {
    const end = endOfName(entry);
    const name = unescape(entry.slice(0, end), line);
    const value = unescape(entry.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, ""), line);
    if (name === "" || name.length > MAX_NAME_LENGTH)
      throw new PropertiesError(line, `a name has 1 to ${MAX_NAME_LENGTH} characters.`);
    if (value.length > MAX_VALUE_LENGTH)
      throw new PropertiesError(line, `a value has at most ${MAX_VALUE_LENGTH} characters.`);
    if (name.includes("\0") || value.includes("\0"))
      throw new PropertiesError(line, "the sign with the number 0 cannot be kept.");
    found.set(name, value);
    if (found.size > MAX_PROPERTIES)
      throw new PropertiesError(line, `a file has at most ${MAX_PROPERTIES} properties.`);
  }
  return found;
}

/** Lines that say something, with those that they continue on. */
function entriesOf(text: string): { line: number; text: string }[] {
  const entries: { line: number; text: string }[] = [];
  let open: { line: number; parts: string[] } | undefined;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const content = raw.replace(/^[ \t\f]+/, "");
    if (!open && (content === "" || /^[#!]/.test(content))) continue;
    const goesOn = (/\\+$/.exec(content)?.[0].length ?? 0) % 2 === 1;
    open ??= { line: index + 1, parts: [] };
    open.parts.push(goesOn ? content.slice(0, -1) : content);
    if (goesOn) continue;
    entries.push({ line: open.line, text: open.parts.join("") });
    open = undefined;
  }
  if (open) entries.push({ line: open.line, text: open.parts.join("") });
  return entries;
}

/** Where the first separator that is not escaped stands. */
const endOfName = (entry: string): number => /^(?:\\.|[^\\=: \t\f])*/s.exec(entry)![0].length;

const signs: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f" };

function unescape(text: string, line: number): string {
  return text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_, code?: string, sign?: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (sign === "u") throw new PropertiesError(line, "\\u wants four hexadecimal digits.");
    return signs[sign!] ?? sign!;
  });
}
