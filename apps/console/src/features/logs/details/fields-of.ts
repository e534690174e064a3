/** A message that is a JSON object, as its fields: what lies deeper by its path. */
export interface MessageField {
  path: string;
  text: string;
}

const mostFields = 200;
const deepest = 8;

/** The object that a message is, or nothing. */
export function jsonOf(message: string): Record<string, unknown> | undefined {
  if (!/^\s*\{/.test(message)) return undefined;
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of such an object, of which a page shows so many. */
export function fieldsOf(value: Readonly<Record<string, unknown>>): MessageField[] {
  const fields: MessageField[] = [];
  const add = (path: string, part: unknown, depth: number) => {
    if (fields.length >= mostFields) return;
    if (typeof part === "object" && part !== null && !Array.isArray(part) && depth < deepest) {
      for (const [name, inner] of Object.entries(part))
        add(path === "" ? name : `${path}.${name}`, inner, depth + 1);
      return;
    }
    fields.push({ path, text: typeof part === "string" ? part : JSON.stringify(part) });
  };
  add("", value, 0);
  return fields;
}
