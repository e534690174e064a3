/** A place in a JSON value: the keys and indexes that lead there. */
export type JsonPath = readonly (string | number)[];

export interface JsonNode {
  /** The path as text: unique, and how it is written when copied. */
  id: string;
  path: JsonPath;
  depth: number;
  /** The key or index in what it lies in; nothing for the whole. */
  name: string | number | null;
  value: unknown;
  /** How many it holds, for what can be opened. */
  size: number | null;
  isOpen: boolean;
}

/** `a.b[0]["odd key"]`, as JavaScript and jq write it. */
export function writePath(path: JsonPath): string {
  const text = path
    .map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join("");
  return text.startsWith(".") ? text : `.${text}`;
}

export const mostNodes = 200_000;
const deepest = 200;

const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;

function entriesOf(value: object): [string | number, unknown][] {
  return Array.isArray(value)
    ? value.map((item, index): [number, unknown] => [index, item])
    : Object.entries(value);
}

/** The nodes of a value that are seen, in order: those whose ancestors are all open. */
export function visibleNodes(
  value: unknown,
  isOpen: (id: string, depth: number) => boolean,
): JsonNode[] {
  const nodes: JsonNode[] = [];
  const visit = (item: unknown, path: JsonPath, name: string | number | null) => {
    if (nodes.length >= mostNodes) return;
    const id = writePath(path);
    const depth = path.length;
    const size = isBranch(item)
      ? Array.isArray(item)
        ? item.length
        : Object.keys(item).length
      : null;
    const opened = size !== null && size > 0 && depth < deepest && isOpen(id, depth);
    nodes.push({ id, path, depth, name, value: item, size, isOpen: opened });
    if (opened && isBranch(item))
      for (const [key, child] of entriesOf(item)) visit(child, [...path, key], key);
  };
  visit(value, [], null);
  return nodes;
}

/** A value in one short line. */
export function preview(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.length}]`;
  if (isBranch(value)) {
    const count = Object.keys(value).length;
    return count === 0 ? "{}" : `{${count}}`;
  }
  return JSON.stringify(value) ?? String(value);
}

const mostFound = 1_000;

/** Where keys or values hold some words, in the order of the value. */
export function findInJson(value: unknown, words: string): JsonPath[] {
  const wanted = words.trim().toLowerCase();
  const found: JsonPath[] = [];
  if (wanted === "") return found;
  let seen = 0;
  const holds = (text: string | number) => String(text).toLowerCase().includes(wanted);
  const visit = (item: unknown, path: JsonPath) => {
    if (found.length >= mostFound || seen >= mostNodes || path.length > deepest) return;
    seen += 1;
    const name = path.at(-1);
    const isNamed = typeof name === "string" && holds(name);
    if (isBranch(item)) {
      if (isNamed) found.push(path);
      for (const [key, child] of entriesOf(item)) visit(child, [...path, key]);
    } else if (isNamed || holds(typeof item === "string" ? item : String(item))) found.push(path);
  };
  visit(value, []);
  return found;
}
