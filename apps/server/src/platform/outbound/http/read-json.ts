/** Lists and objects inside each other that are read. */
const deepest = 200;

/** Whether JSON nests deeper than what is walked through safely. Cheaper than reading it. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Inside a text, to the quote that is not escaped.
    if (code === 0x22) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== 0x22; at += 1)
        if (text.charCodeAt(at) === 0x5c) at += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Most answers that are no JSON say so with the first letter; to have it refused costs twenty times as much. */
const mayBe = /^\s*[[{"\dtfn-]/;

/** Reads JSON from outside; undefined when it is none, or nests deeper than anything that is meant. */
export function readJson(text: string): unknown {
  if (!mayBe.test(text) || isDeep(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What is there of a value that should be an object. */
export const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** What a text or a number says; empty for anything else. */
export const asPlain = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
/** An address that a browser may be led to; undefined for a script, a file or anything else. */
export const asWebAddress = (value: unknown): string | undefined => {
  const text = asText(value);
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
};
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
